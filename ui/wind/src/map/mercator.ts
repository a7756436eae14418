import type { Meta } from '../data/types.ts';

/** World coordinates of MapLibre: 0 to 1 from west to east and from north to south. */
export const xOf = (lon: number): number => (lon + 180) / 360;
export const lonOf = (x: number): number => x * 360 - 180;

const NORTHMOST = 85.051129;

export function yOf(lat: number): number {
  const sine = Math.sin((Math.min(Math.max(lat, -NORTHMOST), NORTHMOST) * Math.PI) / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}

export function latOf(y: number): number {
  return (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;
}

/** Returns the position in a texture, in pixels between pixel centres. */
export function texel(meta: Meta, lon: number, lat: number): { x: number; y: number } {
  const { w, s, e, n } = meta.bounds;
  const from = meta.wraps ? (((lon - w) % 360) + 360) % 360 : lon - w;
  return {
    x: (from / (e - w)) * meta.width - 0.5,
    y: ((n - lat) / (n - s)) * meta.height - 0.5,
  };
}
