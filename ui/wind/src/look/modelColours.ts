import { hex, toRgb } from './oklab.ts';
import type { ThemeName } from './force.ts';

/** Each model has the same hue in every chart. */
const HUES: Record<string, number> = {
  'icon-d2': 250,
  'icon-d2-ruc': 225,
  arome: 150,
  'icon-eu': 300,
  arpege: 110,
  icon: 200,
  aicon: 175,
  ecmwf: 25,
  aifs: 0,
  gfs: 60,
};

export function modelColour(model: string, ground: ThemeName): string {
  const hue = HUES[model] ?? 330;
  return hex(toRgb(ground === 'light' ? [0.58, 0.16, hue] : [0.76, 0.14, hue]));
}
