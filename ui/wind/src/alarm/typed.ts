import { convert, type Unit } from '../data/units.ts';

/** Forces are too coarse to type a limit in. */
export const typedUnit = (unit: Unit): Unit => (unit === 'bft' ? 'kn' : unit);

/** Knots as they stand in a field, with a decimal where one is needed. */
export function untyped(knots: number, unit: Unit): number {
  return Math.round(convert(knots, typedUnit(unit)) * 10) / 10;
}

/** What was typed, in tenths of a knot; null for nothing. */
export function typed(text: string, unit: Unit): number | null {
  const value = Number(text.replace(',', '.'));
  if (text.trim() === '' || !Number.isFinite(value)) return null;
  return Math.round((value / convert(1, typedUnit(unit))) * 10) / 10;
}
