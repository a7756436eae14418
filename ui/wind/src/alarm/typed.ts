import { convert, type Unit } from '../data/units.ts';

/** Beaufort is too coarse for limits. */
export const typedUnit = (unit: Unit): Unit => (unit === 'bft' ? 'kn' : unit);

/** Formats knots for an input, with a decimal where needed. */
export function untyped(knots: number, unit: Unit): number {
  return Math.round(convert(knots, typedUnit(unit)) * 10) / 10;
}

/** Parses an input to tenths of a knot; null if empty. */
export function typed(text: string, unit: Unit): number | null {
  const value = Number(text.replace(',', '.'));
  if (text.trim() === '' || !Number.isFinite(value)) return null;
  return Math.round((value / convert(1, typedUnit(unit))) * 10) / 10;
}
