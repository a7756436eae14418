import { expect, it, vi } from 'vitest';
import { forgetBrowser } from '../src/push/browser.ts';

it('lets people sign out although the browser does not answer', async () => {
  vi.useFakeTimers();
  const serviceWorker = { getRegistration: () => new Promise(() => undefined) };
  vi.stubGlobal('navigator', { serviceWorker });
  let done = false;
  void forgetBrowser().then(() => (done = true));
  await vi.advanceTimersByTimeAsync(2000);
  expect(done).toBe(false);
  await vi.advanceTimersByTimeAsync(2000);
  expect(done).toBe(true);
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
