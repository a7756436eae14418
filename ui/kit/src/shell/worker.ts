import { base } from '../router/base.ts';
import { router } from '../router/router.svelte.ts';

/** The cache of the service worker, which uses the same name. */
const SHELL = `shell ${base}`;

/**
 * Registers the service worker, which opens the app when the server cannot be reached. `preload`
 * loads what else should work then.
 */
export async function startWorker(preload?: () => Promise<void>): Promise<void> {
  if (!('serviceWorker' in navigator) || !isSecureContext || !import.meta.env.PROD) return;
  // A notification was clicked while a tab is open: that tab navigates.
  navigator.serviceWorker.addEventListener('message', ({ data }) => {
    if (typeof data?.open === 'string') router.go(data.open);
  });
  try {
    await navigator.serviceWorker.register(`${base}sw.js`);
    keepLoaded();
    await preload?.();
  } catch {
    // Without it the app still works online.
  }
}

/**
 * Keeps the files that this page loads before the worker answers for it, also those that are still
 * on their way.
 */
function keepLoaded(): void {
  const observer = new PerformanceObserver((list) => {
    const addresses = list.getEntries().map(({ name }) => name);
    void keep(addresses.filter((each) => new URL(each).pathname.startsWith(`${base}assets/`)));
  });
  observer.observe({ type: 'resource', buffered: true });
}

async function keep(addresses: string[]): Promise<void> {
  const shell = await caches.open(SHELL);
  for (const address of addresses)
    if (!(await shell.match(address))) await shell.add(address).catch(() => undefined);
}
