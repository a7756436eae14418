import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Loader } from '../src/live/loader.svelte.ts';

/** A server whose answers the test gives one by one. */
function fakeServer() {
  const answers: ((value: string) => void)[] = [];
  const failures: ((error: Error) => void)[] = [];
  const load = vi.fn(
    (_input?: unknown) =>
      new Promise<string>((done, fail) => {
        answers.push(done);
        failures.push(fail);
      }),
  );
  return { load, answers, failures };
}

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a loader', () => {
  it('loads at start and has the answer as its value', async () => {
    const { load, answers } = fakeServer();
    const loader = new Loader(load);
    loader.start();
    expect(loader.value).toBeUndefined();
    expect(loader.busy).toBe(true);
    answers[0]!('one');
    await settle();
    expect(loader.value).toBe('one');
    expect(loader.busy).toBe(false);
  });

  it('keeps the value when a later load fails, and clears the error afterwards', async () => {
    const { load, answers, failures } = fakeServer();
    const loader = new Loader(load);
    loader.value = 'before';
    void loader.reload();
    failures[0]!(new Error('down'));
    await settle();
    expect([loader.value, loader.error]).toEqual(['before', new Error('down')]);
    void loader.reload();
    answers[1]!('after');
    await settle();
    expect([loader.value, loader.error]).toEqual(['after', undefined]);
  });

  it('shows a part of the first answer only', async () => {
    const parts: ((part: string) => void)[] = [];
    const ends: ((value: string) => void)[] = [];
    const loader = new Loader<string>((_, show) => {
      parts.push(show);
      return new Promise((done) => ends.push(done));
    });
    void loader.reload();
    parts[0]!('part');
    expect(loader.value).toBe('part');
    ends[0]!('whole');
    await settle();
    void loader.reload();
    parts[1]!('another part');
    expect(loader.value).toBe('whole');
  });
});

describe('reloading', () => {
  it('loads once for many events', async () => {
    const load = vi.fn(async () => 'x');
    const loader = new Loader(load);
    for (let event = 0; event < 10; event++) loader.refresh();
    await vi.advanceTimersByTimeAsync(1000);
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('never loads twice at a time, and once more for events during a load', async () => {
    const { load, answers } = fakeServer();
    const loader = new Loader(load);
    void loader.reload();
    loader.refresh();
    void loader.reload();
    expect(load).toHaveBeenCalledTimes(1);
    answers[0]!('old');
    await vi.advanceTimersByTimeAsync(1000);
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('resolves with data that was requested after the call', async () => {
    const { load, answers } = fakeServer();
    const loader = new Loader(load);
    void loader.reload();
    const resolved = vi.fn();
    void loader.reload().then(resolved);
    answers[0]!('old');
    await vi.advanceTimersByTimeAsync(1000);
    expect(resolved).not.toHaveBeenCalled();
    answers[1]!('new');
    await settle();
    expect(resolved).toHaveBeenCalled();
    expect(loader.value).toBe('new');
  });

  it('waits longer after a slow answer', async () => {
    const load = vi.fn(() => new Promise<string>((done) => setTimeout(() => done('x'), 1000)));
    const loader = new Loader(load);
    void loader.reload();
    await vi.advanceTimersByTimeAsync(1000);
    loader.refresh();
    await vi.advanceTimersByTimeAsync(3900);
    expect(load).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('happens on events until it is stopped', async () => {
    const load = vi.fn(async () => 'x');
    let event = (): void => undefined;
    const unsubscribe = vi.fn();
    const loader = new Loader(load, {
      reloadOn: (refresh) => {
        event = refresh;
        return [unsubscribe];
      },
    });
    const stop = loader.start();
    await settle();
    event();
    await vi.advanceTimersByTimeAsync(1000);
    expect(load).toHaveBeenCalledTimes(2);
    event();
    stop();
    await vi.advanceTimersByTimeAsync(1000);
    expect(load).toHaveBeenCalledTimes(2);
    expect(unsubscribe).toHaveBeenCalled();
  });

  it('polls after each answer while the page is visible', async () => {
    vi.stubGlobal('document', { hidden: false });
    const load = vi.fn(async () => 'x');
    const stop = new Loader(load, { pollMs: 1000 }).start();
    await vi.advanceTimersByTimeAsync(2500);
    expect(load).toHaveBeenCalledTimes(3);
    vi.stubGlobal('document', { hidden: true });
    await vi.advanceTimersByTimeAsync(5000);
    expect(load).toHaveBeenCalledTimes(3);
    vi.stubGlobal('document', { hidden: false });
    stop();
    await vi.advanceTimersByTimeAsync(5000);
    expect(load).toHaveBeenCalledTimes(3);
    vi.unstubAllGlobals();
  });
});

describe('the input', () => {
  it('of the last start wins, regardless of the order of the answers', async () => {
    const { load, answers } = fakeServer();
    let input = 'old';
    const loader = new Loader<string, string>(load, { input: () => input });
    const stop = loader.start();
    stop();
    input = 'new';
    loader.start();
    expect(load.mock.calls.map(([given]) => given)).toEqual(['old', 'new']);
    answers[1]!('new answer');
    await settle();
    answers[0]!('old answer');
    await settle();
    expect(loader.value).toBe('new answer');
  });

  it('decides whose error is shown', async () => {
    const { load, failures } = fakeServer();
    const loader = new Loader(load);
    loader.start()();
    loader.start();
    failures[0]!(new Error('old'));
    await settle();
    expect(loader.error).toBeUndefined();
    failures[1]!(new Error('new'));
    await settle();
    expect(loader.error).toEqual(new Error('new'));
  });

  it('is requested at once first, and then only when it has stopped changing', async () => {
    const { load, answers } = fakeServer();
    const loader = new Loader(load, { debounceMs: 100 });
    let stop = loader.start();
    expect(load).toHaveBeenCalledTimes(1);
    stop();
    stop = loader.start();
    await vi.advanceTimersByTimeAsync(99);
    expect(loader.busy).toBe(true);
    stop();
    loader.start();
    await vi.advanceTimersByTimeAsync(99);
    expect(load).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    answers[1]!('answer');
    await settle();
    expect(loader.value).toBe('answer');
  });

  it('clears the value at once when there is nothing to load', async () => {
    const { load } = fakeServer();
    const loader = new Loader<string, string>(load, { input: () => undefined, debounceMs: 100 });
    loader.value = 'before';
    loader.start();
    expect(loader.value).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1000);
    expect(load).not.toHaveBeenCalled();
  });
});

describe('patches', () => {
  it('change the value and the answer of a load that was already running', async () => {
    const { load, answers } = fakeServer();
    const loader = new Loader(load);
    loader.value = 'a';
    void loader.reload();
    loader.patch((value) => `${value}!`);
    expect(loader.value).toBe('a!');
    answers[0]!('b');
    await settle();
    expect(loader.value).toBe('b!');
    void loader.reload();
    answers[1]!('c');
    await settle();
    expect(loader.value).toBe('c');
  });

  it('replace the answer of a load that was already running', async () => {
    const { load, answers } = fakeServer();
    const loader = new Loader(load);
    void loader.reload();
    loader.value = 'event';
    answers[0]!('older answer');
    await settle();
    expect(loader.value).toBe('event');
  });
});
