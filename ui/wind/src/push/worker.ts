import { router, store, stored, type Route } from '@quartet/kit';

const SHELL = 'wind-shell';
/** The version of the app whose pages are cached. */
const CACHED_VERSION = 'wind-cached-version';

/** Registers the service worker, for offline use and push notifications. */
export async function startWorker(routes: Route[]): Promise<void> {
  if (!('serviceWorker' in navigator) || !isSecureContext || !import.meta.env.PROD) return;
  navigator.serviceWorker.addEventListener('message', ({ data }) => {
    // A notification was clicked while a tab is open: that tab navigates.
    if (typeof data?.open === 'string') router.go(data.open);
  });
  try {
    await navigator.serviceWorker.register(router.href('/sw.js'));
    await loadPages(routes);
    await keepLoaded();
  } catch {
    // Without it the app still works online.
  }
}

/** Loads all pages once per version, so that they work offline without a visit.
 *
 * The map is left out: it needs tiles and textures that are not cached.
 */
async function loadPages(routes: Route[]): Promise<void> {
  const version = import.meta.url;
  if (stored(CACHED_VERSION) === version) return;
  const pages = routes.filter(({ path }) => path !== '/map' && !path.startsWith('/admin'));
  await Promise.all(pages.map(({ load }) => load().catch(() => undefined)));
  store(CACHED_VERSION, version);
}

/** Files that this page loaded before the worker was active. */
async function keepLoaded(): Promise<void> {
  const assets = router.href('/assets/');
  const loaded = performance
    .getEntriesByType('resource')
    .map(({ name }) => name)
    .filter((name) => new URL(name).pathname.startsWith(assets));
  const shell = await caches.open(SHELL);
  for (const address of new Set(loaded))
    if (!(await shell.match(address))) await shell.add(address).catch(() => undefined);
}
