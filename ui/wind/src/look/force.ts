import { contrast, hex, toRgb, type Lch, type Rgb } from './oklab.ts';

/**
 * The colour scale of wind force, for tables, pins and the map. Equal steps of force look equally
 * large; calm is close to the background of the theme, storm stands out.
 */
export type ThemeName = 'light' | 'dark';

type Stop = readonly [knots: number, colour: Lch];

const SCALES: Record<ThemeName, readonly Stop[]> = {
  light: [
    [0, [0.965, 0.008, 240]],
    [5, [0.92, 0.045, 225]],
    [10, [0.875, 0.09, 190]],
    [15, [0.845, 0.14, 145]],
    [20, [0.86, 0.16, 108]],
    [25, [0.79, 0.165, 75]],
    [30, [0.69, 0.19, 45]],
    [37, [0.58, 0.215, 22]],
    [45, [0.5, 0.215, 358]],
    [55, [0.42, 0.2, 320]],
    [65, [0.33, 0.16, 295]],
  ],
  dark: [
    [0, [0.25, 0.015, 255]],
    [5, [0.36, 0.06, 240]],
    [10, [0.47, 0.085, 205]],
    [15, [0.57, 0.125, 155]],
    [20, [0.71, 0.15, 115]],
    [25, [0.74, 0.16, 80]],
    [30, [0.69, 0.185, 48]],
    [37, [0.61, 0.215, 22]],
    [45, [0.57, 0.23, 355]],
    [55, [0.52, 0.23, 318]],
    [65, [0.47, 0.2, 298]],
  ],
};

export const STRONGEST = 65;

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [1, 1, 1];

export function forceColour(knots: number, ground: ThemeName): Rgb {
  const scale = SCALES[ground];
  const at = Math.min(Math.max(knots, 0), STRONGEST);
  const next = Math.max(
    1,
    scale.findIndex(([from]) => from >= at),
  );
  const [low, first] = scale[next - 1]!;
  const [high, second] = scale[next]!;
  return toRgb(mix(first, second, (at - low) / (high - low)));
}

/** Returns black or white, whichever has more contrast; it is always at least 4.5:1. */
export function textColourOn(colour: Rgb): Rgb {
  return contrast(colour, BLACK) >= contrast(colour, WHITE) ? BLACK : WHITE;
}

/** Hues are interpolated the short way round. */
function mix(one: Lch, other: Lch, share: number): Lch {
  const turn = ((other[2] - one[2] + 540) % 360) - 180;
  const between = (a: number, b: number): number => a + (b - a) * share;
  return [between(one[0], other[0]), between(one[1], other[1]), one[2] + turn * share];
}

/** Returns the CSS class of a wind speed; `useForceClasses` defines the colours. */
export function forceClass(knots: number): string {
  return `force-${Math.min(Math.max(Math.round(knots), 0), STRONGEST)}`;
}

let used = false;

/** Thousands of cells share these rules instead of inline styles. */
export function useForceClasses(): void {
  if (used) return;
  used = true;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(Array.from({ length: STRONGEST + 1 }, (_, knots) => rule(knots)).join('\n'));
  document.adoptedStyleSheets.push(sheet);
}

function rule(knots: number): string {
  const light = forceColour(knots, 'light');
  const dark = forceColour(knots, 'dark');
  const ground = `light-dark(${hex(light)}, ${hex(dark)})`;
  const ink = `light-dark(${hex(textColourOn(light))}, ${hex(textColourOn(dark))})`;
  return `.force-${knots} { --force: ${ground}; background: ${ground}; color: ${ink}; }`;
}
