import type { LayerMeta, Meta } from '../data/types.ts';
import { texel } from './mercator.ts';

export type Area = { w: number; s: number; e: number; n: number };

/** A wind texture: an hour of a model, or a tile of it. */
export interface Sheet {
  key: string;
  meta: Meta;
  /** The part that is drawn; tiles overlap slightly so that no seams are visible. */
  area: Area;
  /** RGBA bytes, northernmost row first. */
  pixels: Uint8ClampedArray;
}

/** A texture of a layer, such as the temperature. */
export type LayerSheet = Omit<Sheet, 'meta'> & { meta: LayerMeta };

export interface Flow {
  u: number;
  v: number;
}

/**
 * Returns the wind of a texture at a position, as the server would; undefined where it has no data.
 */
export function windAt({ meta, pixels, area }: Sheet, lon: number, lat: number): Flow | null {
  if (lon < area.w || lon > area.e || lat < area.s || lat > area.n) return null;
  const { x, y } = texel(meta, lon, lat);
  const left = Math.floor(x);
  const top = Math.min(Math.max(Math.floor(y), 0), meta.height - 2);
  let u = 0;
  let v = 0;
  for (let corner = 0; corner < 4; corner++) {
    const column = left + (corner & 1);
    const row = top + (corner >> 1);
    const inside = meta.wraps
      ? (column + meta.width) % meta.width
      : Math.min(Math.max(column, 0), meta.width - 1);
    const at = 4 * (row * meta.width + inside);
    if (pixels[at + 3] !== 255) return null;
    const across = corner & 1 ? x - left : 1 - x + left;
    const down = corner >> 1 ? y - top : 1 - y + top;
    u += across * down * pixels[at]!;
    v += across * down * pixels[at + 1]!;
  }
  const { u: first, v: second } = meta.channels;
  return { u: first.offset + first.scale * u, v: second.offset + second.scale * v };
}
