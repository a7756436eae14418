import { number } from '@quartet/kit';

/** Millimetres that fill the cell of the table. */
const FULL = 8;

/** Returns the percentage of the cell that is filled; drizzle is visible next to heavy rain. */
export function rainShare(millimetres: number): number {
  return Math.round(100 * Math.min(Math.sqrt(millimetres / FULL), 1));
}

/** Formats an amount for a narrow cell; none is empty. */
export function rainText(millimetres: number): string {
  if (millimetres < 0.1) return '';
  return number(millimetres < 9.95 ? millimetres : Math.round(millimetres));
}
