import { language, router } from '@quartet/kit';
import type { LayerSpecification, StyleSpecification } from 'maplibre-gl';
import type { Overview } from '../data/types.ts';
import type { ThemeName } from '../look/force.ts';

const INKS: Record<
  ThemeName,
  Record<'sea' | 'land' | 'shade' | 'lake' | 'line' | 'coast' | 'text' | 'halo', string>
> = {
  light: {
    sea: '#b7d2e6',
    land: '#f5f1e6',
    shade: '#5b4a2c26',
    lake: '#bfe0fa59',
    line: '#00000055',
    coast: '#1c2733aa',
    text: '#232b36',
    halo: '#ffffffcc',
  },
  dark: {
    sea: '#0b2033',
    land: '#2b323b',
    shade: '#0000004d',
    lake: '#4d9fd84d',
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
  // Other maps have their own lakes.
  if (overview.lakes && overview.basemap?.layers.includes('land')) {
    sources.lakes = { type: 'vector', ...tilesOf('lakes', overview.lakes) };
    // Above the shade, which darkens lakes together with the land around them.
    const shade = layers.findIndex(({ id }) => id === SHADE);
    layers.splice(shade + 1, 0, lakeFill(ink.lake), lakeShore(ink.coast));
  }
  if (hills) {
    const { encoding, tileSize } = hills;
    sources.relief = { type: 'raster-dem', ...tilesOf('terrain', hills), encoding, tileSize };
    // Above land and wind, but below lines and labels.
    const first = layers.findIndex(({ id }) => id === SHADE);
    layers.splice(first < 0 ? layers.length : first, 0, shading(ground));
  }
  return { version: 8, sources, layers };
}

export const LAND = 'land';
const RELIEF = 'relief';
/** Darkens the land above the wind, so that it differs from the sea in any wind. */
const SHADE = 'shade';
/** The wind is inserted before the first of these layers that exists. */
export const ABOVE_WIND = [RELIEF, SHADE];

type Archive = NonNullable<Overview['basemap']>;

function tilesOf(name: 'basemap' | 'lakes' | 'terrain', archive: Archive): Tiles {
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

const LAKES = { source: 'lakes', 'source-layer': 'land' } as const;

const lakeFill = (colour: string): LayerSpecification => ({
  ...LAKES,
  id: 'lakes',
  type: 'fill',
  paint: { 'fill-color': colour },
});

const lakeShore = (colour: string): LayerSpecification => ({
  ...LAKES,
  id: 'shores',
  type: 'line',
  paint: { 'line-color': colour, 'line-width': 1.25 },
});

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
    { ...base, id: LAND, type: 'fill', 'source-layer': land, paint: { 'fill-color': ink.land } },
  ];
  if (layers.has('water')) {
    const paint = { 'fill-color': ink.sea };
    shown.push({ ...base, id: 'water', type: 'fill', 'source-layer': 'water', paint });
  }
  shown.push(
    { ...base, id: SHADE, type: 'fill', 'source-layer': land, paint: { 'fill-color': ink.shade } },
    {
      ...base,
      id: 'borders',
      type: 'line',
      'source-layer': borders,
      paint: { 'line-color': ink.line, 'line-width': 1 },
    },
    {
      ...base,
      id: 'coast',
      type: 'line',
      'source-layer': land,
      paint: {
        'line-color': ink.coast,
        'line-width': ['interpolate', ['linear'], ['zoom'], 5, 0.75, 10, 1.5],
      },
    },
  );
  if (layers.has('places')) shown.push(names(ground));
  return shown;
}

/** In the town, next to it, or beyond the room that a station's marker keeps free. */
const NAME_OFFSETS: (string | [number, number])[] = ['center', [0, 0]];
for (const far of [1.1, 2.4]) {
  NAME_OFFSETS.push('top', [0, far], 'bottom', [0, -far], 'left', [far, 0], 'right', [-far, 0]);
}

function names(ground: ThemeName): LayerSpecification {
  const ink = INKS[ground];
  return {
    id: 'names',
    type: 'symbol',
    source: 'base',
    'source-layer': 'places',
    layout: {
      'text-field': ['coalesce', ['get', `name:${language.current}`], ['get', 'name']],
      // Drawn by the browser from the font of the pages, so no glyph files are needed.
      'text-font': ['Inter', 'sans-serif'],
      // The built-in map ranks towns by population, Protomaps by `population_rank`.
      'text-size': [
        'case',
        ['has', 'rank'],
        ['interpolate', ['linear'], ['get', 'rank'], 0, 15, 1000, 14, 10_000, 13, 50_000, 12],
        13,
      ],
      'symbol-sort-key': [
        'coalesce',
        ['get', 'rank'],
        ['-', 0, ['coalesce', ['get', 'population_rank'], 0]],
      ],
      'text-variable-anchor-offset': NAME_OFFSETS,
      'text-max-width': 8,
      'text-padding': 6,
    },
    paint: { 'text-color': ink.text, 'text-halo-color': ink.halo, 'text-halo-width': 1.5 },
  };
}
