import { startWorker, store, stored, type Route } from '@quartet/kit';

/** The version of the app whose pages are cached. */
const CACHED_VERSION = 'wind-cached-version';

/** Starts the service worker and loads the pages that should work offline. */
export async function startWorkerWithPages(routes: Route[]): Promise<void> {
  await startWorker(() => loadPages(routes));
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
