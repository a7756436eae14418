import type { GearItem } from '../data/types.ts';

/**
 * Area in square metres times wind in knots for optimal use; boards and foils have no such rule.
 */
const BEST: Partial<Record<GearItem['kind'], number>> = { sail: 107, kite: 176, wing: 90 };
const LIGHTEST = 0.8;
const STRONGEST = 4 / 3;

/** Returns the default wind range in knots; the server uses the same rule. */
export function defaultRange(kind: GearItem['kind'], size: number): [number, number] | undefined {
  const best = BEST[kind];
  if (!best || !(size > 0)) return undefined;
  return [(best / size) * LIGHTEST, (best / size) * STRONGEST];
}
