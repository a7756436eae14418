import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Refresher } from '../src/live/refresher.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('makes one load of many wishes', async () => {
  const load = vi.fn(async () => undefined);
  const refresher = new Refresher(load);
  for (let wish = 0; wish < 10; wish++) refresher.ask();
  await vi.advanceTimersByTimeAsync(1000);
  expect(load).toHaveBeenCalledTimes(1);
});

it('never loads twice at the same time, and once more for what came meanwhile', async () => {
  let end = (): void => undefined;
  const load = vi.fn(() => new Promise<void>((done) => (end = done)));
  const refresher = new Refresher(load);
  void refresher.now();
  refresher.ask();
  void refresher.now();
  expect(load).toHaveBeenCalledTimes(1);
  end();
  await vi.advanceTimersByTimeAsync(1000);
  expect(load).toHaveBeenCalledTimes(2);
});

it('ends with what was loaded after the wish', async () => {
  const ends: (() => void)[] = [];
  const refresher = new Refresher(() => new Promise<void>((done) => ends.push(done)));
  void refresher.now();
  const ended = vi.fn();
  void refresher.now().then(ended);
  ends[0]!();
  await vi.advanceTimersByTimeAsync(1000);
  expect(ended).not.toHaveBeenCalled();
  ends[1]!();
  await vi.advanceTimersByTimeAsync(0);
  expect(ended).toHaveBeenCalled();
});

it('gives a slow server time to rest', async () => {
  const load = vi.fn(() => new Promise<void>((done) => setTimeout(done, 1000)));
  const refresher = new Refresher(load);
  void refresher.now();
  await vi.advanceTimersByTimeAsync(1000);
  refresher.ask();
  await vi.advanceTimersByTimeAsync(3900);
  expect(load).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(load).toHaveBeenCalledTimes(2);
});

it('forgets what was asked when nobody looks any more', async () => {
  const load = vi.fn(async () => undefined);
  const refresher = new Refresher(load);
  refresher.ask();
  refresher.stop();
  await vi.advanceTimersByTimeAsync(1000);
  expect(load).not.toHaveBeenCalled();
});
