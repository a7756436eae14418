import { language } from '../texts/language.svelte.ts';
import { numberFormat } from './numbers.ts';

const DAY = 86_400;
const STEPS = [
  ['day', DAY],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Formats a duration with its two largest units: "2 hr 5 min". */
export function duration(seconds: number, locale: string = language.locale): string {
  let rest = Math.max(0, Math.round(seconds));
  const first = Math.max(
    0,
    STEPS.findIndex(([, size]) => rest >= size),
  );
  const start = rest === 0 ? STEPS.length - 1 : first;
  const shown: string[] = [];
  for (const [unit, size] of STEPS.slice(start, start + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0 || shown.length === 0) shown.push(unitText(count, unit, locale));
  }
  return shown.join(' ');
}

function unitText(count: number, unit: string, locale: string): string {
  return numberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(count);
}

/** From so many units, a remaining time is shown without the smaller one. */
const EXACT_BELOW = 10;

/** Estimates the remaining time of a transfer; undefined if it is unknown. */
export function timeLeft(
  remaining: number,
  bytesPerSecond: number,
  locale: string = language.locale,
): string | undefined {
  if (!(bytesPerSecond > 0) || !Number.isFinite(remaining)) return undefined;
  const seconds = Math.ceil(remaining / bytesPerSecond);
  // An estimate is not exact: "12 min" instead of "12 min 34 sec".
  const size = STEPS.find(([, each]) => seconds >= EXACT_BELOW * each)?.[1] ?? 1;
  return duration(Math.round(seconds / size) * size, locale);
}

/** Formats a time given in seconds since 1970. */
export function dateTime(unix: number, locale: string = language.locale): string {
  const options: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' };
  return new Intl.DateTimeFormat(locale, options).format(unix * 1000);
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Charts format many times, and creating a format is expensive. */
function clock(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = language.locale + JSON.stringify(options);
  const made = clocks.get(key) ?? new Intl.DateTimeFormat(language.locale, options);
  clocks.set(key, made);
  return made;
}

/** "09:20" or "9:20:05 AM", in the format of the locale. */
export function clockTime(unix: number, seconds = false): string {
  const options = { hour: 'numeric', minute: '2-digit' } as const;
  return clock(seconds ? { ...options, second: '2-digit' } : options).format(unix * 1000);
}

/** "17 Nov" */
export const dayMonth = (unix: number): string =>
  clock({ day: 'numeric', month: 'short' }).format(unix * 1000);

/** "Tue, 17 Nov, 09:20" */
export const weekdayTime = (unix: number): string =>
  clock({
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
  }).format(unix * 1000);

export function date(unix: number, locale: string = language.locale): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(unix * 1000);
}

/** Returns the name of a weekday; 1 is Monday. */
export function weekday(
  day: number,
  style: 'short' | 'long' = 'short',
  locale: string = language.locale,
): string {
  // 1 January 2024 was a Monday.
  const format = new Intl.DateTimeFormat(locale, { weekday: style, timeZone: 'UTC' });
  return format.format(Date.UTC(2024, 0, day)).replace('.', '');
}

/** Formats a time as "3 hours ago" or "in 2 days", from seconds since 1970. */
export function relativeTime(
  unix: number,
  now: number = Date.now() / 1000,
  locale: string = language.locale,
): string {
  const seconds = Math.round(unix - now);
  const [unit, size] = STEPS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  return format.format(Math.trunc(seconds / size), unit);
}
