import { router } from '@quartet/kit';

const SHELL = 'wind-shell';

/** Registers the service worker, for offline use and push notifications. */
export async function startWorker(): Promise<void> {
  if (!('serviceWorker' in navigator) || !isSecureContext || !import.meta.env.PROD) return;
  navigator.serviceWorker.addEventListener('message', ({ data }) => {
    // A notification was clicked while a tab is open: that tab navigates.
    if (typeof data?.open === 'string') router.go(data.open);
  });
  try {
    await navigator.serviceWorker.register(router.href('/sw.js'));
    await keepLoaded();
  } catch {
    // Without it the app still works online.
  }
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
