import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { backoff } from '../src/live/backoff.ts';
import { Live } from '../src/live/live.svelte.ts';
import type { TransportEvents } from '../src/live/transports.ts';

/** A fake stream controlled by the test. */
function stream() {
  const lines: { events: TransportEvents; types: string[]; closed: boolean }[] = [];
  const transport = (events: TransportEvents) => {
    const line = { events, types: [] as string[], closed: false };
    lines.push(line);
    return {
      listen: (type: string) => void line.types.push(type),
      close: () => void (line.closed = true),
    };
  };
  return { lines, transport, last: () => lines.at(-1)! };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('backoff', () => {
  it('doubles up to 30 seconds with jitter in the upper half', () => {
    expect(backoff(0, () => 0)).toBe(250);
    expect(backoff(0, () => 1)).toBe(500);
    expect(backoff(3, () => 1)).toBe(4000);
    expect(backoff(20, () => 1)).toBe(30_000);
  });
});

describe('live', () => {
  it('delivers events to subscribers of their type', () => {
    const { transport, last } = stream();
    const live = new Live(transport);
    const seen: unknown[] = [];
    live.on('system', (data) => seen.push(data));
    live.start();
    last().events.open();
    const stop = live.on('progress', (data) => seen.push(data));
    last().events.message('system', 1);
    last().events.message('progress', 2);
    last().events.message('other', 3);
    stop();
    last().events.message('progress', 4);
    expect(seen).toEqual([1, 2]);
    expect(last().types).toEqual(['resync', 'system', 'progress']);
  });

  it('reconnects after a loss and reloads once', () => {
    const { lines, transport, last } = stream();
    const live = new Live(transport);
    const reload = vi.fn();
    live.on('system', () => undefined);
    live.start();
    last().events.open();
    live.onReload(reload);
    last().events.close();
    expect(live.state).toBe('lost');
    vi.advanceTimersByTime(500);
    expect(lines).toHaveLength(2);
    expect(last().types).toContain('system');
    expect(reload).not.toHaveBeenCalled();
    last().events.open();
    expect(live.state).toBe('open');
    expect(reload).toHaveBeenCalledOnce();
  });

  it('waits longer each time and reports failed attempts', () => {
    const { lines, transport, last } = stream();
    const lost = vi.fn();
    const live = new Live(transport, lost);
    live.start();
    for (let turn = 0; turn < 4; turn++) {
      last().events.close();
      vi.advanceTimersByTime(500 * 2 ** turn);
      expect(lines).toHaveLength(turn + 2);
    }
    expect(lost).toHaveBeenCalledTimes(4);
  });

  it('reconnects immediately on retry', () => {
    const { lines, transport, last } = stream();
    const live = new Live(transport);
    live.start();
    last().events.close();
    live.retry();
    expect(lines).toHaveLength(2);
    vi.advanceTimersByTime(60_000);
    expect(lines).toHaveLength(2);
  });

  it('reloads on resync', () => {
    const { transport, last } = stream();
    const live = new Live(transport);
    live.start();
    last().events.open();
    const reload = vi.fn();
    live.onReload(reload);
    last().events.message('resync', null);
    expect(reload).toHaveBeenCalledOnce();
  });

  it('stays silent after stop', () => {
    const { lines, transport, last } = stream();
    const live = new Live(transport);
    live.start();
    last().events.close();
    live.stop();
    vi.advanceTimersByTime(60_000);
    expect(lines).toHaveLength(1);
    live.start();
    expect(lines).toHaveLength(2);
    live.stop();
    expect(last().closed).toBe(true);
  });
});
