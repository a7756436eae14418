import { language } from '../texts/language.svelte.ts';
import { numberFormat } from './numbers.ts';

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;

/** Formats 1234567 as "1.2 MB": powers of 1000, as drives and hosters count. */
export function bytes(value: number, locale: string = language.locale): string {
  return scaled(value, '', locale);
}

export function speed(bytesPerSecond: number, locale: string = language.locale): string {
  return scaled(bytesPerSecond, '-per-second', locale);
}

function scaled(value: number, suffix: '' | '-per-second', locale: string): string {
  let step = 0;
  let rest = Math.max(0, value);
  // 999.95 would be rounded to 1000.
  while (rest >= 999.95 && step < UNITS.length - 1) {
    rest /= 1000;
    step++;
  }
  // "B" is shorter than the "byte" that some languages use.
  const unitDisplay = step === 0 ? 'narrow' : 'short';
  const digits = step === 0 || rest >= 100 ? 0 : 1;
  const text = numberFormat(locale, {
    style: 'unit',
    unit: UNITS[step] + suffix,
    unitDisplay,
    maximumFractionDigits: digits,
  }).format(rest);
  return step === 0 ? text.replace(/(\d)(\D)/, '$1\u00a0$2').replace(/\s+/, '\u00a0') : text;
}
