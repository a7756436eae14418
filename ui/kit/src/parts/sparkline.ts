const WIDTH = 100;
const HEIGHT = 32;
const EDGE = 2;

export interface Sparkpaths {
  line: string;
  area: string;
  /**
   * Returns the vertical position of the newest value as a share of the box, from the top;
   * undefined without values.
   */
  end?: number;
}

/** Returns the line and the area below it as SVG paths in a box of 100 by 32. */
export function sparkline(values: number[], room: number, floor?: number): Sparkpaths {
  const shown = values.slice(-room);
  const newest = shown.at(-1);
  if (newest === undefined) return { line: '', area: '' };
  const step = WIDTH / (room - 1);
  const first = WIDTH - step * (shown.length - 1);
  const height = floor === undefined ? scale(shown) : scaleFrom(shown, floor);
  const points = shown.map((value, index) => `${round(first + index * step)} ${height(value)}`);
  const line = `M${points.join('L')}`;
  const area = `${line}L${WIDTH} ${HEIGHT}L${round(first)} ${HEIGHT}Z`;
  return { line, area, end: height(newest) / HEIGHT };
}

/**
 * The value range is at least a tenth of the values, so that a nearly constant series stays flat.
 */
function scale(values: number[]): (value: number) => number {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const span = Math.max(high - low, Math.abs(high) * 0.1, 1e-9);
  const middle = (high + low) / 2;
  return (value) => round(HEIGHT / 2 - ((value - middle) / span) * (HEIGHT - 2 * EDGE));
}

/** Maps the floor to the bottom edge and the largest value to the top. */
function scaleFrom(values: number[], floor: number): (value: number) => number {
  const span = Math.max(...values.map((value) => value - floor), 1e-9);
  return (value) => round(HEIGHT - EDGE - ((value - floor) / span) * (HEIGHT - 2 * EDGE));
}

const round = (value: number): number => Math.round(value * 100) / 100;
