/** A line of a chart, with a value for each of its times. */
export interface ChartLine {
  name: string;
  values: readonly (number | null)[];
  /** Any CSS colour. */
  colour: string;
  /** A `high` line and the `low` one behind it are the edges of a band. */
  look: 'line' | 'thick' | 'dots' | 'area' | 'high' | 'low';
}

/** A stretch of time with a shaded ground. */
export interface ChartBand {
  from: number;
  to: number;
}

/** How times are written, and in which zone days begin. */
export interface ChartClock {
  zone: string;
  tick: (unix: number) => string;
  readout: (unix: number) => string;
  /** Possible distances between two ticks, in seconds. */
  steps: number[];
}

const HEADROOM = 1.08;

/**
 * Returns the upper end of the scale. A limit is in view if the values come near it; otherwise it
 * would flatten the line.
 */
export function topOf(high: number | null, least: number, limit: number | undefined): number {
  const top = Math.max((high ?? 0) * HEADROOM, least);
  return limit !== undefined && limit <= top * 2 ? Math.max(top, limit * HEADROOM) : top;
}
