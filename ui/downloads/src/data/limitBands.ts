import type { ChartBand } from '@quartet/kit';
import type { Options } from './types.ts';

type Window = NonNullable<Options['schedule']>[number];

/**
 * The times between two moments at which the schedule sets another limit. `ahead`: the seconds by
 * which the clock of the schedule is ahead of that of the browser.
 */
export function limitBands(
  schedule: readonly Window[],
  from: number,
  to: number,
  ahead = 0,
): (ChartBand & { limitKib: number })[] {
  const bands: (ChartBand & { limitKib: number })[] = [];
  const day = new Date((from + ahead) * 1000);
  day.setHours(0, 0, 0, 0);
  // A window may have begun the evening before.
  day.setDate(day.getDate() - 1);
  for (; day.getTime() / 1000 <= to + ahead; day.setDate(day.getDate() + 1)) {
    for (const window of schedule) {
      if (window.days?.length && !window.days.includes(day.getDay() || 7)) continue;
      const begin = moment(day, window.from) - ahead;
      let end = moment(day, window.to) - ahead;
      if (end <= begin) end = moment(day, window.to, 1) - ahead;
      if (end > from && begin < to) {
        bands.push({
          from: Math.max(begin, from),
          to: Math.min(end, to),
          limitKib: window.limitKib ?? 0,
        });
      }
    }
  }
  return bands;
}

function moment(day: Date, time: string, later = 0): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const at = new Date(day);
  at.setDate(at.getDate() + later);
  at.setHours(hours, minutes);
  return at.getTime() / 1000;
}
