import type { SpotOutlook } from '../data/types.ts';

export type SessionDay = NonNullable<SpotOutlook['days']>[number];
export type DayOrder = 'best' | 'date';
type GoodWindow = SpotOutlook['windows'][number];

/** The days with the most expected hours in windows first, then those with suitable wind. */
export function ordered(days: SessionDay[], order: DayOrder): SessionDay[] {
  if (order === 'date') return days;
  return days.toSorted(
    (one, other) =>
      other.score - one.score || other.suitable - one.suitable || one.start - other.start,
  );
}

/** The windows of the spot with hours on a day: those of its page, its alert and its messages. */
export function windowsOf(day: SessionDay, windows: GoodWindow[]): GoodWindow[] {
  const last = day.times.at(-1) ?? day.start;
  return windows.filter(({ from, to }) => from <= last && to > day.times[0]!);
}

/** The hour with the strongest wind, among the good ones if there are any. */
export function strongestHour(day: SessionDay): number {
  const anyGood = day.good.includes(true);
  let found = -1;
  day.wind.forEach((wind, index) => {
    if (anyGood && !day.good[index]) return;
    if (found < 0 || wind > day.wind[found]!) found = index;
  });
  return Math.max(found, 0);
}
