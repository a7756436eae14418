/** Wind units; the server uses knots. */
export const units = ['kn', 'ms', 'kmh', 'mph', 'bft'] as const;
export type Unit = (typeof units)[number];

export const unitNames: Record<Unit, string> = {
  kn: 'kn',
  ms: 'm/s',
  kmh: 'km/h',
  mph: 'mph',
  bft: 'Bft',
};

const FACTORS = { kn: 1, ms: 0.514444, kmh: 1.852, mph: 1.852 / 1.609344 } as const;

/** Lower limit of each Beaufort force, in knots. */
const BEAUFORT = [1, 4, 7, 11, 17, 22, 28, 34, 41, 48, 56, 64];

export function beaufort(knots: number): number {
  const rounded = Math.round(knots);
  return BEAUFORT.filter((from) => rounded >= from).length;
}

export function convert(knots: number, unit: Unit): number {
  return unit === 'bft' ? beaufort(knots) : knots * FACTORS[unit];
}

/** Formats a value without its unit, for a cell. */
export function shown(knots: number, unit: Unit): string {
  return String(Math.round(convert(knots, unit)));
}
