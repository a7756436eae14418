import { measureText } from '../data/measures.svelte.ts';
import { roundedMeasure, type MeasureUnit } from '../data/measures.ts';

/** Millimetres that fill the cell of the table. */
const FULL = 8;

/** Returns the percentage of the cell that is filled; drizzle is visible next to heavy rain. */
export function rainShare(millimetres: number): number {
  return Math.round(100 * Math.min(Math.sqrt(millimetres / FULL), 1));
}

/** Formats an amount for a narrow cell; none is empty. */
export function rainText(millimetres: number, unit: MeasureUnit<'rain'>): string {
  const amount = millimetres < 0.1 ? 0 : roundedMeasure(millimetres, unit);
  return amount === 0 ? '' : measureText(amount);
}
