import { router } from '@quartet/kit';
import type { MapModel } from '../data/types.ts';
import type { LayerName } from '../look/scales.ts';
import type { Area, LayerSheet, Sheet } from './flow.ts';

export type MapHour = MapModel['hours'][number];

const MOST_PIECES = 6;
const MOST_KEPT = 40;
type AnySheet = Sheet | LayerSheet;
const kept = new Map<string, Promise<AnySheet>>();

/** The textures that show an hour of a model in a part of the world. */
export async function sheetsOf(model: MapModel, hour: MapHour, view: Area): Promise<Sheet[]> {
  return (await allSheets(model, hour, view, '')) as Sheet[];
}

export async function layerSheetsOf(
  model: MapModel,
  hour: MapHour,
  view: Area,
  layer: LayerName,
): Promise<LayerSheet[]> {
  return (await allSheets(model, hour, view, `?layer=${layer}`)) as LayerSheet[];
}

async function allSheets(
  model: MapModel,
  hour: MapHour,
  view: Area,
  query: string,
): Promise<AnySheet[]> {
  const pieces = model.pieces?.filter((piece) => touches(piece, view)) ?? [];
  const folder = `/api/map/${model.id}/${hour.run}/${hour.step}`;
  if (pieces.length === 0 || pieces.length > MOST_PIECES) return [await sheet(folder, query)];
  return Promise.all(
    pieces.map((piece) =>
      sheet(`${folder}/${piece.w}_${piece.s}_${piece.e}_${piece.n}`, query, piece),
    ),
  );
}

function sheet(file: string, query: string, area?: Area): Promise<AnySheet> {
  const path = file + query;
  const known = kept.get(path);
  const wanted = known ?? load(file, query, area);
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

async function load(file: string, query: string, area?: Area): Promise<AnySheet> {
  const [meta, pixels] = await Promise.all([
    get(`${file}.json${query}`).then((answer) => answer.json() as Promise<AnySheet['meta']>),
    get(`${file}.png${query}`).then(async (answer) => read(await answer.blob())),
  ]);
  return { key: file + query, meta, area: area ?? drawable(meta), pixels } as AnySheet;
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

function drawable({ bounds, wraps }: AnySheet['meta']): Area {
  return wraps ? { ...bounds, w: -180, e: 180 } : bounds;
}

function touches(one: Area, other: Area): boolean {
  return one.w < other.e && one.e > other.w && one.s < other.n && one.n > other.s;
}
