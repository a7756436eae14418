// The service worker of all apps: opens the app when the server cannot be reached, and shows
// notifications. The build adds the `worker.js` of an app, if it has one, and writes both as one
// file, because browsers compare that file byte by byte to detect updates.

const base = new URL('./', self.registration.scope);
/** One cache per app, because several apps may share a host; startWorker() uses the same name. */
const SHELL = `shell ${base.pathname}`;
const MOST_ASSETS = 160;

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(SHELL)
      .then((shell) => shell.add(new Request(base, { cache: 'reload' })))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { method, mode } = event.request;
  const path = pathInApp(event.request);
  if (method !== 'GET' || path === null || path.startsWith('api/')) return;
  if (mode === 'navigate') event.respondWith(page(event, path));
  else if (path.startsWith('assets/')) event.respondWith(asset(event));
});

/** Returns the path of a request inside the app, or null for other addresses. */
function pathInApp(request) {
  const url = new URL(request.url);
  return url.href.startsWith(base.href) ? url.pathname.slice(base.pathname.length) : null;
}

/** Returns the current page, or the cached one if the server cannot be reached. */
async function page(event, path) {
  try {
    const found = await fetch(event.request);
    if (found.ok && !hasOwnHead(path)) event.waitUntil(keepPage(found.clone()));
    // A proxy in front of a stopped server.
    const gone = found.status === 502 || found.status === 504;
    return (gone && (await keptPage())) || found;
  } catch (error) {
    const kept = await keptPage();
    if (!kept) throw error;
    return kept;
  }
}

/** The page of a station has its own <head>; the generic one fits every address. */
function hasOwnHead(path) {
  return path.startsWith('station/');
}

function keptPage() {
  return caches.match(base, { cacheName: SHELL });
}

/** Keeps the page of the app, but not other documents, such as the sign-in form of a proxy. */
async function keepPage(found) {
  const text = await found.text();
  if (!text.includes(' data-accent="')) return;
  const shell = await caches.open(SHELL);
  await shell.put(base, new Response(text, { headers: found.headers }));
}

/** Files with a hash in their name never change. */
async function asset(event) {
  const kept = await caches.match(event.request, { cacheName: SHELL });
  if (kept) return kept;
  const found = await fetch(event.request);
  if (found.ok) event.waitUntil(keep(SHELL, event.request, found.clone(), MOST_ASSETS));
  return found;
}

/** Adds a response to a cache and removes the oldest ones above the limit. */
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
    self.registration.showNotification(message.title || self.registration.scope, {
      body: message.body,
      tag: message.tag,
      icon: new URL('icons/192.png', base).href,
      badge: new URL('icons/badge.png', base).href,
      data: { path: typeof message.url === 'string' ? message.url : '/' },
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
  event.waitUntil(open(event.notification.data?.path ?? '/'));
});

/** Navigates an open tab, or opens a new one. */
async function open(path) {
  const target = new URL(path.replace(/^\/+/, ''), base);
  if (!target.href.startsWith(base.href)) return;
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  // Several apps may share a host.
  const tabs = windows.filter(({ url }) => url.startsWith(base.href));
  const tab = tabs.find((one) => one.url === target.href) ?? tabs[0];
  if (!tab) return void (await self.clients.openWindow(target.href));
  if (tab.url !== target.href) tab.postMessage({ open: path });
  await tab.focus().catch(() => undefined);
}
