// What the service worker of wind does in addition to that of the kit (ui/kit/worker/sw.js): it
// caches the last answers.

const PUBLIC = 'wind-public';
const PERSONAL = 'wind-personal';
const KEPT_AT = 'x-kept-at';

const MOST_ANSWERS = 80;
const PATIENCE_MILLISECONDS = 8000;

const publicPaths =
  /^api\/(stations\/[^/]+(\/live)?|point|best|models|site|verification|gauges\/near|map\/series)$/;
const personalPaths = /^api\/(me|favorites(\/outlook)?|alarms|gear)$/;

// Incremented on every sign-in and sign-out.
let person = 0;

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const path = pathInApp(request);
  if (path === null) return;
  if (request.method !== 'GET') {
    if (/^api\/(auth\/|me$)/.test(path)) person++;
  } else if (publicPaths.test(path)) event.respondWith(answer(event, PUBLIC));
  else if (personalPaths.test(path)) event.respondWith(answer(event, PERSONAL));
});

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
