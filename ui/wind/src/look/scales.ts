import { forceColour, STRONGEST, type ThemeName } from './force.ts';
import { toRgb, type Lch } from './oklab.ts';

/** The layers of the map besides the wind, as the server names them. */
export const LAYERS = [
  'gust',
  'temperature',
  'precipitation',
  'cloud',
  'pressure',
  'waves',
] as const;
export type LayerName = (typeof LAYERS)[number];

type Stop = readonly [value: number, colour: Lch, opacity: number];

export interface Scale {
  /** `chosen` is the unit that people have selected, if they can. */
  unit: (chosen: string) => string;
  low: number;
  high: number;
  marks: number[];
  /** Whether small values take up more of the scale. */
  root: boolean;
  stops: readonly Stop[];
}

export const SCALES: Record<LayerName, Scale> = {
  // Coloured like the wind; the stops are not used.
  gust: { unit: () => 'kn', low: 0, high: STRONGEST, marks: [], root: false, stops: [] },
  temperature: {
    unit: (chosen) => chosen,
    low: -20,
    high: 40,
    marks: [-20, -10, 0, 10, 20, 30],
    root: false,
    stops: [
      [-20, [0.45, 0.17, 305], 1],
      [-8, [0.55, 0.16, 265], 1],
      [0, [0.75, 0.1, 230], 1],
      [8, [0.8, 0.11, 180], 1],
      [15, [0.82, 0.14, 135], 1],
      [22, [0.86, 0.15, 100], 1],
      [30, [0.7, 0.18, 50], 1],
      [40, [0.5, 0.2, 20], 1],
    ],
  },
  precipitation: {
    unit: (chosen) => `${chosen}/h`,
    low: 0,
    high: 10,
    marks: [0, 0.5, 2, 5],
    root: true,
    stops: [
      [0, [0.85, 0.08, 230], 0],
      [0.1, [0.82, 0.1, 230], 0.55],
      [0.5, [0.7, 0.14, 245], 0.9],
      [2, [0.55, 0.19, 262], 1],
      [5, [0.48, 0.22, 300], 1],
      [10, [0.55, 0.25, 350], 1],
    ],
  },
  cloud: {
    unit: () => '%',
    low: 0,
    high: 100,
    marks: [0, 25, 50, 75],
    root: false,
    stops: [
      [0, [0.9, 0, 250], 0],
      [25, [0.87, 0.005, 250], 0.35],
      [100, [0.7, 0.012, 250], 1],
    ],
  },
  pressure: {
    unit: () => 'hPa',
    low: 970,
    high: 1050,
    marks: [970, 990, 1010, 1030],
    root: false,
    stops: [
      [970, [0.45, 0.17, 300], 1],
      [990, [0.62, 0.14, 265], 1],
      [1005, [0.82, 0.08, 225], 1],
      [1013, [0.93, 0.02, 150], 1],
      [1022, [0.86, 0.11, 95], 1],
      [1035, [0.7, 0.16, 55], 1],
      [1050, [0.52, 0.18, 30], 1],
    ],
  },
  waves: {
    unit: (chosen) => chosen,
    low: 0,
    high: 8,
    marks: [0, 0.5, 1, 2, 4],
    root: true,
    stops: [
      [0, [0.93, 0.03, 220], 0.75],
      [0.5, [0.84, 0.09, 205], 1],
      [1, [0.76, 0.12, 185], 1],
      [2, [0.64, 0.14, 245], 1],
      [4, [0.5, 0.2, 285], 1],
      [8, [0.45, 0.22, 335], 1],
    ],
  },
};

/** Returns where a value is on the scale, from 0 to 1. */
export function shareOf(scale: Scale, value: number): number {
  const share = Math.min(Math.max((value - scale.low) / (scale.high - scale.low), 0), 1);
  return scale.root ? Math.sqrt(share) : share;
}

type Rgba = [number, number, number, number];

/** Returns red, green, blue and opacity of a layer for a place on its scale. */
export function layerColour(layer: LayerName, share: number, ground: ThemeName): Rgba {
  if (layer === 'gust') return [...forceColour(share * STRONGEST, ground), 1];
  return colourAt(SCALES[layer], share);
}

/** Returns red, green, blue and opacity for a place on the scale. */
export function colourAt(scale: Scale, share: number): Rgba {
  const along = scale.root ? share * share : share;
  const value = scale.low + along * (scale.high - scale.low);
  const next = Math.max(
    1,
    scale.stops.findIndex(([from]) => from >= value),
  );
  const [low, first, clear] = scale.stops[next - 1]!;
  const [high, second, solid] = scale.stops[next]!;
  const part = (value - low) / (high - low);
  const between = (a: number, b: number): number => a + (b - a) * part;
  const turn = ((second[2] - first[2] + 540) % 360) - 180;
  const colour: Lch = [
    between(first[0], second[0]),
    between(first[1], second[1]),
    first[2] + turn * part,
  ];
  return [...toRgb(colour), between(clear, solid)];
}
