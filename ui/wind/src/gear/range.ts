import type { GearItem } from '../data/types.ts';

/** Square metres times knots at which a piece is at its best; boards and foils have no such rule. */
const BEST: Partial<Record<GearItem['kind'], number>> = { sail: 107, kite: 176, wing: 90 };
const LIGHTEST = 0.8;
const STRONGEST = 4 / 3;

/** The wind a piece is for when nobody has said it, in knots; the same rule as the server's. */
export function usualRange(kind: GearItem['kind'], size: number): [number, number] | undefined {
  const best = BEST[kind];
  if (!best || !(size > 0)) return undefined;
  return [(best / size) * LIGHTEST, (best / size) * STRONGEST];
}
