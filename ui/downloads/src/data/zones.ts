import { clockTime } from '@quartet/kit';

/** The time zone of the browser, as an offset from UTC. */
export const localOffsetMinutes = (): number => -new Date().getTimezoneOffset();

/** How many seconds the clock of the server is ahead of that of the browser. */
export const secondsAhead = (offsetMinutes: number): number =>
  (offsetMinutes - localOffsetMinutes()) * 60;

/** The time of day now, in a time zone with this offset from UTC. */
export const timeAt = (offsetMinutes: number): string =>
  clockTime(Date.now() / 1000 + secondsAhead(offsetMinutes));
