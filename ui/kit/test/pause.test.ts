import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { afterPause } from '../src/live/pause.ts';

const PAUSE = 100;
const answers: ((answer: string) => void)[] = [];
const ask = vi.fn(() => new Promise<string>((done) => answers.push(done)));
const shown = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  vi.clearAllMocks();
  answers.length = 0;
});
afterEach(() => void vi.useRealTimers());

it('does not ask while somebody types', async () => {
  const end = afterPause(PAUSE, ask, shown);
  await vi.advanceTimersByTimeAsync(PAUSE - 1);
  end();
  await vi.advanceTimersByTimeAsync(PAUSE);
  expect(ask).not.toHaveBeenCalled();
});

it('shows the answer to the last question, whichever comes first', async () => {
  const end = afterPause(PAUSE, ask, shown);
  await vi.advanceTimersByTimeAsync(PAUSE);
  end();
  afterPause(PAUSE, ask, shown);
  await vi.advanceTimersByTimeAsync(PAUSE);
  answers[1]!('new');
  answers[0]!('old');
  await vi.runAllTimersAsync();
  expect(shown.mock.calls).toEqual([['new']]);
});

it('tells why the last question failed, and of none before', async () => {
  const failed = vi.fn();
  const refuse = (why: string) => () => Promise.reject(new Error(why));
  const end = afterPause(PAUSE, refuse('old'), shown, failed);
  vi.advanceTimersByTime(PAUSE);
  end();
  afterPause(PAUSE, refuse('new'), shown, failed);
  await vi.advanceTimersByTimeAsync(PAUSE);
  expect(failed.mock.calls).toEqual([[new Error('new')]]);
});
