import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { OpenJob } from '../src/data/job.svelte.ts';

const server = vi.hoisted(() => ({
  /** The current server state, and the events that reach the page. */
  status: 'matching',
  answers: [] as (() => void)[],
  tell: (_status: string): void => undefined,
}));

vi.mock('../src/service.ts', () => {
  const answer = (path: string) => {
    const { status } = server;
    const data = path.endsWith('/items') ? { items: [], cursor: null } : { status };
    return new Promise((done) => {
      server.answers.push(() => done({ data, response: new Response() }));
    });
  };
  return {
    api: { GET: answer, POST: answer },
    live: {
      on: (type: string, hear: (event: unknown) => void) => {
        if (type === 'job.progress') {
          server.tell = (status) => hear({ jobId: 1, status, done: 1, total: 1 });
        }
        return () => undefined;
      },
      onReload: () => () => undefined,
    },
  };
});

/** Responds to all requests until none are left. */
async function settle(): Promise<void> {
  do {
    server.answers.shift()?.();
    await vi.runOnlyPendingTimersAsync();
  } while (server.answers.length > 0 || vi.getTimerCount() > 0);
}

/** The server continues and sends events before its earlier responses arrive. */
function becomes(status: string): void {
  server.status = status;
  server.tell(status);
}

beforeEach(() => {
  vi.useFakeTimers();
  server.status = 'matching';
});
afterEach(() => void vi.useRealTimers());

it('applies events that arrive before the job', async () => {
  const opened = new OpenJob(1);
  const stop = opened.start();
  becomes('ready');
  await settle();
  expect(opened.job?.status).toBe('ready');
  stop();
});

it('is not set back by a response older than the events', async () => {
  const opened = new OpenJob(1);
  const stop = opened.start();
  await settle();
  server.status = 'queued';
  void opened.execute();
  const answerToStart = server.answers.pop()!;
  becomes('done');
  await settle();
  answerToStart();
  await settle();
  expect(opened.job?.status).toBe('done');
  stop();
});
