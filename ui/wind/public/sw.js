// The service worker: opens the app offline, caches the last answers and shows notifications.
// One plain file, because browsers compare it byte by byte to detect updates.

const SHELL = 'wind-shell';
const PUBLIC = 'wind-public';
const PERSONAL = 'wind-personal';
const KEPT_AT = 'x-kept-at';

const MOST_ASSETS = 160;
const MOST_ANSWERS = 80;
const PATIENCE_MILLISECONDS = 8000;

const base = new URL('./', self.registration.scope);
const publicPaths =
  /^api\/(stations\/[^/]+(\/live)?|point|best|models|site|verification|gauges\/near|map\/series)$/;
const personalPaths = /^api\/(me|favorites(\/outlook)?|alarms|gear)$/;

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(SHELL)
      .then((shell) => shell.add(new Request(base, { cache: 'reload' })))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

// Incremented on every sign-in and sign-out.
let person = 0;

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (!url.href.startsWith(base.href)) return;
  const path = url.pathname.slice(base.pathname.length);
  if (request.method !== 'GET') {
    if (/^api\/(auth\/|me$)/.test(path)) person++;
    return;
  }
  if (request.mode === 'navigate' && !path.startsWith('api/')) event.respondWith(page(event, path));
  else if (path.startsWith('assets/')) event.respondWith(asset(event));
  else if (publicPaths.test(path)) event.respondWith(answer(event, PUBLIC));
  else if (personalPaths.test(path)) event.respondWith(answer(event, PERSONAL));
});

/** Returns the current page, or the cached one if offline. */
async function page(event, path) {
  try {
    const found = await fetch(event.request);
    // The page of a station has its own <head>; the generic one fits every address.
    if (found.ok && !path.startsWith('station')) {
      const copy = found.clone();
      event.waitUntil(caches.open(SHELL).then((shell) => shell.put(base, copy)));
    }
    return found;
  } catch (error) {
    const kept = await caches.match(base, { cacheName: SHELL });
    if (!kept) throw error;
    return kept;
  }
}

/** Files with a hash in their name never change. */
async function asset(event) {
  const kept = await caches.match(event.request, { cacheName: SHELL });
  if (kept) return kept;
  const found = await fetch(event.request);
  if (found.ok) event.waitUntil(keep(SHELL, event.request, found.clone(), MOST_ASSETS));
  return found;
}

/** Returns the current answer, or the cached one with its time if offline. */
async function answer(event, cache) {
  const asker = person;
  try {
    const found = await fetch(event.request, { signal: patience(event.request) });
    // An answer that arrives after a sign-out is not cached.
    if (found.ok && (cache === PUBLIC || asker === person)) {
      const headers = new Headers(found.headers);
      headers.set(KEPT_AT, String(Math.floor(Date.now() / 1000)));
      const copy = new Response(found.clone().body, { headers });
      event.waitUntil(keep(cache, event.request, copy, MOST_ANSWERS));
    }
    // Signed out, possibly in another browser: drop all personal data.
    if (found.status === 401) event.waitUntil(caches.delete(PERSONAL));
    return found;
  } catch (error) {
    const kept = await caches.match(event.request, { cacheName: cache });
    if (!kept) throw error;
    return kept;
  }
}

function patience(request) {
  const limit = AbortSignal.timeout(PATIENCE_MILLISECONDS);
  return AbortSignal.any ? AbortSignal.any([request.signal, limit]) : request.signal;
}

async function keep(name, request, response, most) {
  const cache = await caches.open(name);
  // Inserting it again makes it the most recent entry.
  await cache.delete(request);
  await cache.put(request, response);
  const known = await cache.keys();
  for (const old of known.slice(0, Math.max(0, known.length - most))) await cache.delete(old);
}

self.addEventListener('push', (event) => {
  const message = read(event.data);
  event.waitUntil(
    self.registration.showNotification(message.title || 'Wind', {
      body: message.body,
      tag: message.tag,
      icon: new URL('icons/192.png', base).href,
      badge: new URL('icons/badge.png', base).href,
      data: { path: typeof message.url === 'string' ? message.url : '/spots' },
    }),
  );
});

function read(data) {
  try {
    return data?.json() ?? {};
  } catch {
    return {};
  }
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data?.path ?? '/spots'));
});

/** Navigates an open tab, or opens a new one. */
async function open(path) {
  const target = new URL(path.replace(/^\/+/, ''), base);
  if (!target.href.startsWith(base.href)) return;
  const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const tab = tabs.find((one) => one.url === target.href) ?? tabs[0];
  if (!tab) return void (await self.clients.openWindow(target.href));
  if (tab.url !== target.href) tab.postMessage({ open: path });
  await tab.focus().catch(() => undefined);
}
