import { expect, it, vi } from 'vitest';
import { openDetails } from '../src/data/openDetails.svelte.ts';

const LONG_MS = 10_000;
const server = vi.hoisted(() => ({
  answer: (_status: string): void => undefined,
  change: (): void => undefined,
}));

vi.mock('../src/service.ts', () => ({
  api: {
    GET: () =>
      new Promise((done) => {
        server.answer = (status) =>
          done({ data: { download: { id: 1, status } }, response: new Response() });
      }),
  },
  live: {
    on: (type: string, hear: (event: unknown) => void) => {
      if (type === 'changed') server.change = () => hear({ topic: 'downloads' });
      return () => undefined;
    },
    onReload: () => () => undefined,
  },
}));

it('requests again what changed during a request', async () => {
  vi.useFakeTimers();
  const stop = openDetails.open(1);
  const hears = async (status: string): Promise<void> => {
    server.answer(status);
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(openDetails.details?.download.status).toBe(status);
  };
  await hears('queued');
  server.change();
  await vi.advanceTimersByTimeAsync(500);
  server.change();
  await hears('downloading');
  await hears('paused');
  stop();
  vi.useRealTimers();
});
