import type { Series } from '../data/types.ts';

export const HOUR = 3600;
/** Values further apart say nothing about the hours between them. */
const WIDEST_GAP = 6 * HOUR;

export interface StepsAround {
  before: number;
  after: number;
  /** How much the later step counts; 0 if the hour has a step. */
  share: number;
}

/** Returns the steps before and after a time, null outside of the series and in wide gaps. */
export function stepsAround(times: number[], time: number): StepsAround | null {
  let low = 0;
  let high = times.length - 1;
  if (high < 0 || time < times[0]! || time > times[high]!) return null;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (times[middle]! <= time) low = middle;
    else high = middle - 1;
  }
  if (times[low] === time) return { before: low, after: low, share: 0 };
  const gap = times[low + 1]! - times[low]!;
  if (gap > WIDEST_GAP) return null;
  return { before: low, after: low + 1, share: (time - times[low]!) / gap };
}

type Value = number | null | undefined;

export function between(one: Value, other: Value, share: number): number | null {
  if (share === 0) return one ?? null;
  if (one === null || one === undefined || other === null || other === undefined) return null;
  return one + (other - one) * share;
}

export function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}

/** Interpolates the wind as a vector, so that it turns the short way and weakens while it turns. */
export function windBetween(
  series: Series,
  { before, after, share }: StepsAround,
): { wind: number | null; direction: number | null } {
  const wind = between(series.wind[before], series.wind[after], share);
  const first = series.direction[before] ?? null;
  const second = series.direction[after] ?? null;
  if (share === 0 || wind === null || first === null || second === null)
    return { wind, direction: share === 0 ? first : null };
  const part = (component: (radians: number) => number): number =>
    series.wind[before]! * component((first * Math.PI) / 180) * (1 - share) +
    series.wind[after]! * component((second * Math.PI) / 180) * share;
  const east = part(Math.sin);
  const north = part(Math.cos);
  const degrees = (Math.atan2(east, north) * 180) / Math.PI;
  return { wind: Math.hypot(east, north), direction: (Math.round(degrees) + 360) % 360 };
}

/** Adds up the precipitation of a time; a step's amount is spread evenly over the time before it. */
export function amountBetween(series: Series, from: number, to: number): number | null {
  const { times, precipitation } = series;
  if (!precipitation) return null;
  let sum = 0;
  let known = false;
  for (let at = 1; at < times.length && times[at - 1]! < to; at++) {
    const start = times[at - 1]!;
    const end = times[at]!;
    if (end <= from) continue;
    const amount = precipitation[at] ?? null;
    if (amount === null) return null;
    sum += (amount * (Math.min(end, to) - Math.max(start, from))) / (end - start);
    known = true;
  }
  return known ? sum : null;
}
