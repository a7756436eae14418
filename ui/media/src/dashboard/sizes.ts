import type { Statistics } from '../data/types.ts';

/** Distinguishable in both themes, also for colour-blind people. */
export const LIBRARY_COLOURS = [
  'var(--accent)',
  'light-dark(oklch(0.5 0.15 255), oklch(0.75 0.12 250))',
  'light-dark(oklch(0.55 0.14 155), oklch(0.8 0.14 155))',
  'light-dark(oklch(0.53 0.19 320), oklch(0.78 0.14 320))',
];

/** Returns the days of all libraries in seconds, and the size of each one on them. */
export function sizesByDay(libraries: Statistics['libraries']): {
  times: number[];
  sizes: (number | null)[][];
} {
  const found = new Set(libraries.flatMap(({ days }) => days.map(({ day }) => day)));
  const days = [...found].sort((one, other) => one - other);
  return {
    times: days.map((day) => day / 1000),
    sizes: libraries.map((library) => {
      const known = new Map(library.days.map(({ day, bytes }) => [day, bytes]));
      return days.map((day) => known.get(day) ?? null);
    }),
  };
}
