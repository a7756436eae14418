import { bytes, speed, timeLeft } from '@quartet/kit';
import type { CombinedProgress } from '../data/progress.ts';
import * as m from '../paraglide/messages.js';
import type { Rate } from './rates.svelte.ts';

/** Slower is only the traffic that keeps connections open. */
const NOTABLE = 1000;

/** "12 files left · 3 MB", or that everything is up to date, paused or unknown. */
export function bytesToGo(progress: CombinedProgress): string {
  const { needItems, needBytes, unsentItems, unsentBytes, share, paused, unconfirmed } = progress;
  if (needItems > 0) return withSize(m.state_to_go({ count: needItems }), needBytes);
  if (unsentItems > 0) return withSize(m.state_to_send({ count: unsentItems }), unsentBytes);
  if (unconfirmed > 0) return m.state_unconfirmed();
  if (paused > 0) return m.paused_count({ count: paused });
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
