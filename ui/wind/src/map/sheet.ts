import { router } from '@quartet/kit';
import type { MapModel, Meta } from '../data/types.ts';
import type { Area, Sheet } from './flow.ts';

export type MapHour = MapModel['hours'][number];

const MOST_PIECES = 6;
const MOST_KEPT = 40;
const kept = new Map<string, Promise<Sheet>>();

/** The textures that show an hour of a model in a part of the world. */
export async function sheetsOf(model: MapModel, hour: MapHour, view: Area): Promise<Sheet[]> {
  const pieces = model.pieces?.filter((piece) => touches(piece, view)) ?? [];
  const folder = `/api/map/${model.id}/${hour.run}/${hour.step}`;
  if (pieces.length === 0 || pieces.length > MOST_PIECES) return [await sheet(folder)];
  return Promise.all(
    pieces.map((piece) => sheet(`${folder}/${piece.w}_${piece.s}_${piece.e}_${piece.n}`, piece)),
  );
}

function sheet(path: string, area?: Area): Promise<Sheet> {
  const known = kept.get(path);
  const wanted = known ?? load(path, area);
  // The least recently used texture is dropped first.
  kept.delete(path);
  kept.set(path, wanted);
  if (!known) wanted.catch(() => kept.delete(path));
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_KEPT) break;
    kept.delete(oldest);
  }
  return wanted;
}

async function load(key: string, area?: Area): Promise<Sheet> {
  const [meta, pixels] = await Promise.all([
    get(`${key}.json`).then((answer) => answer.json() as Promise<Meta>),
    get(`${key}.png`).then(async (answer) => read(await answer.blob())),
  ]);
  return { key, meta, area: area ?? drawable(meta), pixels };
}

async function get(path: string): Promise<Response> {
  const answer = await fetch(router.href(path));
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  return answer;
}

async function read(png: Blob): Promise<Uint8ClampedArray> {
  // The bytes are data, so no colour profile may change them.
  const bitmap = await createImageBitmap(png, {
    premultiplyAlpha: 'none',
    colorSpaceConversion: 'none',
  });
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext('2d', { willReadFrequently: true })!;
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  return context.getImageData(0, 0, canvas.width, canvas.height).data;
}

function drawable({ bounds, wraps }: Meta): Area {
  return wraps ? { ...bounds, w: -180, e: 180 } : bounds;
}

function touches(one: Area, other: Area): boolean {
  return one.w < other.e && one.e > other.w && one.s < other.n && one.n > other.s;
}
