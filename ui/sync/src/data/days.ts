import { date, language } from '@quartet/kit';

/** "14:05", or "14:05:09" with seconds, from Unix seconds. */
export const timeOf = (unix: number, style: 'short' | 'medium' = 'short'): string =>
  new Intl.DateTimeFormat(language.locale, { timeStyle: style }).format(unix * 1000);

/** Groups items by day, in the given order. */
export function byDay<T extends { at: number }>(
  items: readonly T[],
): { day: string; items: T[] }[] {
  const days: { day: string; items: T[] }[] = [];
  for (const item of items) {
    const day = date(item.at);
    const last = days.at(-1);
    if (last?.day === day) last.items.push(item);
    else days.push({ day, items: [item] });
  }
  return days;
}
