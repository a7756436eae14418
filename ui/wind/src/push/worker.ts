import { router } from '@quartet/kit';

const SHELL = 'wind-shell';

/** Lets the app open without a network, and messages arrive while it is closed. */
export async function startWorker(): Promise<void> {
  if (!('serviceWorker' in navigator) || !isSecureContext || !import.meta.env.PROD) return;
  navigator.serviceWorker.addEventListener('message', ({ data }) => {
    // A message was pressed while a tab is open: it goes there instead of a new one.
    if (typeof data?.open === 'string') router.go(data.open);
  });
  try {
    await navigator.serviceWorker.register(router.href('/sw.js'));
    await keepLoaded();
  } catch {
    // Without it everything works as long as there is a network.
  }
}

/** What this page needed before the worker was there. */
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
