import { convert, type Unit } from '../data/units.ts';

/** Beaufort is too coarse for limits. */
export const inputUnit = (unit: Unit): Unit => (unit === 'bft' ? 'kn' : unit);

/** Formats knots for an input, with a decimal where needed. */
export function formatWind(knots: number, unit: Unit): number {
  return Math.round(convert(knots, inputUnit(unit)) * 10) / 10;
}

/** Parses an input to tenths of a knot; null if empty. */
export function parseWind(text: string, unit: Unit): number | null {
  const value = Number(text.replace(',', '.'));
  if (text.trim() === '' || !Number.isFinite(value)) return null;
  return Math.round((value / convert(1, inputUnit(unit))) * 10) / 10;
}
