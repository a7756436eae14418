import type { Series } from '../data/types.ts';

const HOUR = 3600;
/** Up to this lead time every hour is shown; later every third, like coarse models provide. */
const FINE_HOURS = 48;
const COARSE_HOURS = 3;

/** Returns the hours that the table shows: from the current one to the last of any model. */
export function hoursOf(series: Series[], now: number): number[] {
  const start = Math.floor(now / HOUR) * HOUR;
  const end = Math.max(...series.map((one) => one.times.at(-1) ?? 0));
  const hours: number[] = [];
  for (let time = start; time <= end; time += HOUR) if (wanted(time, start)) hours.push(time);
  return hours;
}

function wanted(time: number, start: number): boolean {
  return time <= start + FINE_HOURS * HOUR || time % (COARSE_HOURS * HOUR) === 0;
}

/** Returns the hour of the table that a moment belongs to, if it shows one. */
export function hourOf(hours: number[], time: number): number | undefined {
  const next = hours.findIndex((hour) => hour > time);
  const last = hours.at(-1) ?? 0;
  return next < 0
    ? time <= last + COARSE_HOURS * HOUR
      ? hours.at(-1)
      : undefined
    : hours[next - 1];
}

export interface Day {
  label: string;
  /** The first hour that is shown. */
  first: number;
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
    else days.push({ label: day, first: time, hours: 1, middle: time });
  }
  let first = 0;
  for (const day of days) {
    day.middle = hours[first + Math.floor(day.hours / 2)]!;
    first += day.hours;
  }
  return days;
}
