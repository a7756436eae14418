import { router } from '@quartet/kit';
import type { LayerSpecification, StyleSpecification } from 'maplibre-gl';
import type { Overview } from '../data/types.ts';
import type { ThemeName } from '../look/force.ts';

const INKS: Record<
  ThemeName,
  Record<'sea' | 'land' | 'line' | 'coast' | 'text' | 'halo', string>
> = {
  light: {
    sea: '#dfe8f0',
    land: '#f6f4ef',
    line: '#00000055',
    coast: '#1c2733aa',
    text: '#232b36',
    halo: '#ffffffcc',
  },
  dark: {
    sea: '#0d1520',
    land: '#1b222d',
    line: '#ffffff44',
    coast: '#ffffff88',
    text: '#eef2f7',
    halo: '#0a0f17cc',
  },
};

/** Land below the wind, outlines above it. */
export function styleOf(
  overview: Overview,
  ground: ThemeName,
  relief: boolean,
): StyleSpecification {
  const ink = INKS[ground];
  const sea: LayerSpecification = {
    id: 'sea',
    type: 'background',
    paint: { 'background-color': ink.sea },
  };
  const hills = relief && overview.relief ? overview.relief : undefined;
  const sources: StyleSpecification['sources'] = {};
  const layers: LayerSpecification[] = [sea];
  if (overview.basemap?.tiles === 'mvt') {
    sources.base = { type: 'vector', ...tilesOf('basemap', overview.basemap) };
    layers.push(...layersOf(new Set(overview.basemap.layers), ground));
  }
  if (hills) {
    const { encoding, tileSize } = hills;
    sources.relief = { type: 'raster-dem', ...tilesOf('terrain', hills), encoding, tileSize };
    // Above land and wind, but below lines and labels.
    const first = layers.findIndex(({ id }) => id === BORDERS);
    layers.splice(first < 0 ? layers.length : first, 0, shading(ground));
  }
  return { version: 8, sources, layers };
}

const RELIEF = 'relief';
const BORDERS = 'borders';
/** The wind is inserted before the first of these layers that exists. */
export const ABOVE_WIND = [RELIEF, BORDERS];

type Archive = NonNullable<Overview['basemap']>;

function tilesOf(name: 'basemap' | 'terrain', archive: Archive): Tiles {
  const { w, s, e, n, minZoom, maxZoom, attribution, version } = archive;
  const folder = new URL(router.href(`/api/map/${name}/`), location.href).href;
  return {
    tiles: [`${folder}{z}/{x}/{y}?${version}`],
    bounds: [w, s, e, n],
    minzoom: minZoom,
    maxzoom: maxZoom,
    attribution,
  };
}

interface Tiles {
  tiles: string[];
  bounds: [number, number, number, number];
  minzoom: number;
  maxzoom: number;
  attribution: string;
}

function shading(ground: ThemeName): LayerSpecification {
  const light = ground === 'light';
  return {
    id: RELIEF,
    type: 'hillshade',
    source: RELIEF,
    paint: {
      'hillshade-exaggeration': 0.6,
      'hillshade-shadow-color': light ? '#2b3440' : '#000000',
      'hillshade-highlight-color': light ? '#ffffff' : '#c9d4e3',
      'hillshade-accent-color': light ? '#4b5866' : '#0a0f17',
    },
  };
}

function layersOf(layers: Set<string>, ground: ThemeName): LayerSpecification[] {
  const ink = INKS[ground];
  const land = layers.has('land') ? 'land' : 'earth';
  const borders = layers.has('borders') ? 'borders' : 'boundaries';
  const base = { source: 'base' } as const;
  const shown: LayerSpecification[] = [
    { ...base, id: 'land', type: 'fill', 'source-layer': land, paint: { 'fill-color': ink.land } },
  ];
  if (layers.has('water')) {
    const paint = { 'fill-color': ink.sea };
    shown.push({ ...base, id: 'water', type: 'fill', 'source-layer': 'water', paint });
  }
  shown.push(
    {
      ...base,
      id: BORDERS,
      type: 'line',
      'source-layer': borders,
      paint: { 'line-color': ink.line, 'line-width': 1 },
    },
    {
      ...base,
      id: 'coast',
      type: 'line',
      'source-layer': land,
      paint: { 'line-color': ink.coast, 'line-width': 1 },
    },
  );
  if (layers.has('places')) shown.push(names(ground));
  return shown;
}

function names(ground: ThemeName): LayerSpecification {
  const ink = INKS[ground];
  return {
    id: 'names',
    type: 'symbol',
    source: 'base',
    'source-layer': 'places',
    layout: { 'text-field': ['get', 'name'], 'text-size': 12, 'text-max-width': 8 },
    paint: { 'text-color': ink.text, 'text-halo-color': ink.halo, 'text-halo-width': 1.5 },
  };
}
