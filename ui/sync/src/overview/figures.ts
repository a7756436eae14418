import { bytes, speed, timeLeft } from '@quartet/kit';
import type { CombinedProgress } from '../data/progress.ts';
import * as m from '../paraglide/messages.js';
import type { Rate } from './rates.svelte.ts';

/** Slower is only the traffic that keeps connections open. */
const NOTABLE = 1000;

/** An engine with a speed limit sends in bursts, some seconds apart. */
const SMOOTHED_SECONDS = 8;

/** The mean of the newest values, which are a second apart. */
export function recentMean(values: readonly (number | null)[] = []): number {
  const known = values.slice(-SMOOTHED_SECONDS).filter((value) => value !== null);
  return known.reduce((sum, value) => sum + value, 0) / Math.max(known.length, 1);
}

/** "12 files left · 3 MB", or that everything is up to date. */
export function bytesToGo(progress: CombinedProgress): string {
  const { needItems, needBytes, unsentItems, unsentBytes, share } = progress;
  if (needItems > 0) return withSize(m.state_to_go({ count: needItems }), needBytes);
  if (unsentItems > 0) return withSize(m.state_to_send({ count: unsentItems }), unsentBytes);
  return share === undefined ? m.state_unknown() : m.state_ready();
}

const withSize = (count: string, size: number): string =>
  size > 0 ? `${count} · ${bytes(size)}` : count;

/** What the hub sends arrives at the device. */
export const seenByDevice = ({ received, sent }: Rate): Rate => ({
  received: sent,
  sent: received,
});

/** "↓ 3 MB/s ↑ 20 kB/s"; empty without a transfer. */
export function rateText({ received, sent }: Rate): string {
  const parts = [
    received >= NOTABLE ? `↓\u00a0${speed(received)}` : '',
    sent >= NOTABLE ? `↑\u00a0${speed(sent)}` : '',
  ];
  return parts.filter(Boolean).join(' ');
}

/** "3 MB/s · 2 min left" for what a device still needs. */
export function paceText({ needBytes }: CombinedProgress, { sent }: Rate): string {
  if (needBytes === 0 || sent < NOTABLE) return '';
  const left = timeLeft(needBytes, sent);
  return left ? `${speed(sent)} · ${m.time_left({ time: left })}` : speed(sent);
}
