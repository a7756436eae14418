import { expect, it, vi } from 'vitest';
import { BrowserPush } from '../src/push/browserPush.ts';

it('lets people sign out although the browser does not answer', async () => {
  vi.useFakeTimers();
  const serviceWorker = { getRegistration: () => new Promise(() => undefined) };
  vi.stubGlobal('navigator', { serviceWorker });
  let done = false;
  void new BrowserPush({}, 'wind').forget().then(() => (done = true));
  await vi.advanceTimersByTimeAsync(2000);
  expect(done).toBe(false);
  await vi.advanceTimersByTimeAsync(2000);
  expect(done).toBe(true);
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
