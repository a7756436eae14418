import type { Sector } from '../data/types.ts';
import { sectorName } from '../look/compass.ts';
import * as m from '../paraglide/messages.js';

export const SEGMENTS = 16;
const STEP = 360 / SEGMENTS;

const turn = (degrees: number): number => ((degrees % 360) + 360) % 360;

/** Returns which of the 16 directions are selected, north first; none means any direction. */
export function segmentsOf(sectors: readonly Sector[]): boolean[] {
  return Array.from({ length: SEGMENTS }, (_, index) =>
    sectors.some(({ from, to }) => {
      const width = to - from === 360 ? 360 : turn(to - from);
      return turn(index * STEP - from) <= width;
    }),
  );
}

/** Joins neighbouring directions to sectors, also across north; all directions equal none. */
export function sectorsOf(segments: readonly boolean[]): Sector[] {
  return runsOf(segments).map(([first, last]) => ({
    from: turn(Math.ceil(first * STEP - STEP / 2)),
    to: turn(Math.floor(last * STEP + STEP / 2)),
  }));
}

/**
 * Returns the first and last of each run of selected directions; empty if all or none are selected.
 */
function runsOf(segments: readonly boolean[]): [number, number][] {
  const runs: [number, number][] = [];
  for (let first = 0; first < SEGMENTS; first++) {
    const before = segments[(first + SEGMENTS - 1) % SEGMENTS];
    if (!segments[first] || before) continue;
    let last = first;
    while (segments[(last + 1) % SEGMENTS]) last++;
    runs.push([first, last % SEGMENTS]);
  }
  return runs;
}

/** "W–NW, N" */
export function sectorText(sectors: readonly Sector[]): string {
  const runs = runsOf(segmentsOf(sectors));
  if (runs.length === 0) return m.any_direction();
  return runs
    .map(([first, last]) =>
      first === last ? sectorName(first) : `${sectorName(first)}–${sectorName(last)}`,
    )
    .join(', ');
}
