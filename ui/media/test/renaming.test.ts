import { ApiError } from '@quartet/kit';
import { expect, it, vi } from 'vitest';
import { usual } from '../src/renaming/config.ts';
import { renaming } from '../src/renaming/renaming.svelte.ts';

const server = vi.hoisted(() => ({ busy: false, sent: [] as unknown[] }));

vi.mock('../src/service.ts', () => {
  const found = (data: unknown) => Promise.resolve({ data, response: new Response() });
  return {
    api: {
      GET: (path: string) =>
        found(
          path.endsWith('/items') ? { items: [], cursor: null } : { jobId: 1, status: 'ready' },
        ),
      POST: (_path: string, { body }: { body: unknown }) => {
        if (server.busy) throw new ApiError(409, 'job_busy', { id: 1 });
        server.sent.push(body);
        return found({ jobId: 1, status: 'matching' });
      },
    },
    live: { on: () => () => undefined, onReload: () => () => undefined },
  };
});

it('sends changed options again if the job was still busy', async () => {
  renaming.open(1);
  const options = { ...usual, threshold: 0.5 };
  server.busy = true;
  await renaming.change(options);
  await renaming.send();
  expect(renaming.waiting).toBe(true);

  server.busy = false;
  await renaming.send();
  expect(renaming.waiting).toBe(false);
  expect(server.sent).toEqual([{ ...options, rematch: false }]);
});
