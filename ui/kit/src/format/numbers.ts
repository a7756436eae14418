import { language } from '../texts/language.svelte.ts';

const formats = new Map<string, Intl.NumberFormat>();

/** Number formats are expensive to create, and lists use the same ones in every row. */
export function numberFormat(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = locale + JSON.stringify(options);
  const format = formats.get(key) ?? new Intl.NumberFormat(locale, options);
  formats.set(key, format);
  return format;
}

export function number(value: number, locale: string = language.locale): string {
  return numberFormat(locale, { maximumFractionDigits: 1 }).format(value);
}

/** Formats a share between 0 and 1; only exactly 1 is shown as 100 %. */
export function percent(share: number, locale: string = language.locale): string {
  const shown = share < 1 ? Math.min(share, 0.99) : 1;
  return numberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }).format(shown);
}

/** Formats a value in percent, which may be above 100, with the spacing of the language. */
export function percentage(value: number, locale: string = language.locale): string {
  return numberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }).format(value / 100);
}
