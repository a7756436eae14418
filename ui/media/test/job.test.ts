import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { OpenJob } from '../src/data/job.svelte.ts';

const server = vi.hoisted(() => ({
  /** What it would say now, and how what it has said already reaches the page. */
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

/** Answers whatever is asked until nothing is asked any more. */
async function settle(): Promise<void> {
  do {
    server.answers.shift()?.();
    await vi.runOnlyPendingTimersAsync();
  } while (server.answers.length > 0 || vi.getTimerCount() > 0);
}

/** The server goes on and says so, before what it has answered until now arrives. */
function becomes(status: string): void {
  server.status = status;
  server.tell(status);
}

beforeEach(() => {
  vi.useFakeTimers();
  server.status = 'matching';
});
afterEach(() => void vi.useRealTimers());

it('hears what becomes of a job before it has arrived', async () => {
  const opened = new OpenJob(1);
  const stop = opened.start();
  becomes('ready');
  await settle();
  expect(opened.job?.status).toBe('ready');
  stop();
});

it('is not set back by the answer to its start when the job is faster', async () => {
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
