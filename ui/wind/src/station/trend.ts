import type { Measurement } from '../data/types.ts';

export type Trend = 'rising' | 'falling' | 'steady';

const HOUR = 3600;
/** Knots of change per hour that a person would notice. */
const FELT = 2;

/** Compares the mean of the last hour with the hour before; undefined with too few values. */
export function trendOf(recent: Measurement[]): Trend | undefined {
  const last = recent.at(-1)?.time;
  if (last === undefined) return undefined;
  const now = mean(recent.filter(({ time }) => time > last - HOUR));
  const before = mean(recent.filter(({ time }) => time <= last - HOUR && time > last - 2 * HOUR));
  if (now === undefined || before === undefined) return undefined;
  if (Math.abs(now - before) < FELT) return 'steady';
  return now > before ? 'rising' : 'falling';
}

function mean(list: Measurement[]): number | undefined {
  if (list.length === 0) return undefined;
  return list.reduce((sum, { wind }) => sum + wind, 0) / list.length;
}
