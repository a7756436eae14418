import type { Month } from '../data/types.ts';

/** Combines the roses of several months, weighted by their hours. */
export function rose(months: Month[]): number[] {
  const hours = months.reduce((sum, month) => sum + month.n, 0);
  const sectors = months[0]?.rose.length ?? 0;
  return Array.from({ length: sectors }, (_, index) =>
    hours === 0
      ? 0
      : months.reduce((sum, month) => sum + (month.rose[index] ?? 0) * month.n, 0) / hours,
  );
}

/** Returns the share of hours with at least this wind over several months. */
export function shareOver(months: Month[], knots: string): number {
  const hours = months.reduce((sum, month) => sum + month.n, 0);
  if (hours === 0) return 0;
  return months.reduce((sum, month) => sum + (month.hoursOver[knots] ?? 0) * month.n, 0) / hours;
}
