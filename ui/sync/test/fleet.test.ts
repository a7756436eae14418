import { expect, it, vi } from 'vitest';
import { fleet } from '../src/data/fleet.svelte.ts';
import { NO_STATUS } from '../src/data/merge.ts';
import { aDevice, anOverview } from './fixtures.ts';

const server = vi.hoisted(() => ({
  answer: (_overview: unknown): void => undefined,
  tell: (_update: unknown): void => undefined,
}));

vi.mock('../src/service.ts', () => ({
  api: {
    GET: () =>
      new Promise((done) => {
        server.answer = (data) => done({ data, response: new Response() });
      }),
  },
  live: {
    on: (_type: string, hear: (update: unknown) => void) => {
      server.tell = hear;
      return () => undefined;
    },
    onReload: () => () => undefined,
  },
}));

it('does not overwrite newer updates with an older response', async () => {
  vi.useFakeTimers();
  const before = anOverview({ devices: [aDevice({ online: false })] });
  const { revision, hub, waiting } = before;
  const stop = fleet.start();
  server.tell({ revision, hub, waiting, online: [1], conflicts: {}, status: NO_STATUS });
  server.answer(before);
  await vi.advanceTimersByTimeAsync(0);
  expect(fleet.loads).toBe(1);
  expect(fleet.device(1)?.online).toBe(true);
  stop();
  vi.useRealTimers();
});
