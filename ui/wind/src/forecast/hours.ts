import type { Series } from '../data/types.ts';

const HOUR = 3600;
/** So far ahead every hour counts; later ones are shown in threes, as coarse models tell them. */
const FINE_HOURS = 48;
const COARSE_HOURS = 3;

/** The hours that a table shows, from the present one on. */
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
}

/** Hours that follow each other on the same day, by the label of the day. */
export function daysOf(hours: number[], label: (time: number) => string): Day[] {
  const days: Day[] = [];
  for (const time of hours) {
    const day = label(time);
    const last = days.at(-1);
    if (last?.label === day) last.hours++;
    else days.push({ label: day, hours: 1 });
  }
  return days;
}
