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

/** Combines the roses by force of several months; empty if a month has none. */
export function forces(months: Month[]): number[][] {
  const hours = months.reduce((sum, month) => sum + month.n, 0);
  const first = months[0]?.forces ?? [];
  if (hours === 0 || months.some((month) => month.forces.length === 0)) return [];
  return first.map((classes, sector) =>
    classes.map(
      (_, place) =>
        months.reduce((sum, month) => sum + month.forces[sector]![place]! * month.n, 0) / hours,
    ),
  );
}
