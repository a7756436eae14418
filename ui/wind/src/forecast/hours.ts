import type { Series } from '../data/types.ts';

const HOUR = 3600;
/** Up to this lead time every hour is shown; later every third, like coarse models provide. */
const FINE_HOURS = 48;
const COARSE_HOURS = 3;

/** Returns the hours that the table shows, starting with the current one. */
export function hoursOf(series: Series[], now: number): number[] {
  const start = Math.floor(now / HOUR) * HOUR;
  const known = new Set(series.flatMap((one) => one.times));
  return [...known].filter((time) => wanted(time, start)).sort((a, b) => a - b);
}

function wanted(time: number, start: number): boolean {
  if (time < start) return false;
  return time <= start + FINE_HOURS * HOUR || time % (COARSE_HOURS * HOUR) === 0;
}

export interface Day {
  label: string;
  hours: number;
  /** The hour in the middle of those that are shown. */
  middle: number;
}

/** Groups consecutive hours by day. */
export function daysOf(hours: number[], label: (time: number) => string): Day[] {
  const days: Day[] = [];
  for (const time of hours) {
    const day = label(time);
    const last = days.at(-1);
    if (last?.label === day) last.hours++;
    else days.push({ label: day, hours: 1, middle: time });
  }
  let first = 0;
  for (const day of days) {
    day.middle = hours[first + Math.floor(day.hours / 2)]!;
    first += day.hours;
  }
  return days;
}
