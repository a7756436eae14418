/** Units of what is not wind. The server uses degrees Celsius, metres and millimetres. */
export const measureUnits = {
  temperature: ['c', 'f'],
  height: ['m', 'ft'],
  rain: ['mm', 'in'],
} as const;
export type Measure = keyof typeof measureUnits;
export type MeasureUnit<Of extends Measure = Measure> = (typeof measureUnits)[Of][number];

export const measureNames: Record<MeasureUnit, string> = {
  c: '°C',
  f: '°F',
  m: 'm',
  ft: 'ft',
  mm: 'mm',
  in: 'in',
};

const FACTORS: Record<MeasureUnit, number> = {
  c: 1,
  f: 9 / 5,
  m: 1,
  ft: 1 / 0.3048,
  mm: 1,
  in: 1 / 25.4,
};
/** Only zero degrees are not zero in the other unit. */
const ZEROS: Partial<Record<MeasureUnit, number>> = { f: 32 };
/** A tenth of a millimetre of rain is less than a hundredth of an inch. */
const DECIMALS: Record<MeasureUnit, number> = { c: 0, f: 0, m: 1, ft: 1, mm: 1, in: 2 };
/** From here on decimals say nothing, and would not fit a cell. */
const LARGE = 9.95;

export function inMeasure(value: number, unit: MeasureUnit): number {
  return value * FACTORS[unit] + (ZEROS[unit] ?? 0);
}

/** The reverse of `inMeasure`. */
export function fromMeasure(value: number, unit: MeasureUnit): number {
  return (value - (ZEROS[unit] ?? 0)) / FACTORS[unit];
}

/** Converts and rounds a value as it is shown. */
export function roundedMeasure(value: number, unit: MeasureUnit): number {
  const converted = inMeasure(value, unit);
  const decimals = Math.abs(converted) >= LARGE ? 0 : DECIMALS[unit];
  const rounded = Math.round(converted * 10 ** decimals) / 10 ** decimals;
  // Never -0.
  return rounded === 0 ? 0 : rounded;
}
