import { router } from '@quartet/kit';
import type { LayerSpecification, StyleSpecification } from 'maplibre-gl';
import type { Overview } from '../data/types.ts';
import type { Ground } from '../look/force.ts';

const INKS: Record<Ground, Record<'sea' | 'land' | 'line' | 'coast' | 'text' | 'halo', string>> = {
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

/** Land below the wind, its outlines above it. */
export function styleOf(overview: Overview, ground: Ground): StyleSpecification {
  const ink = INKS[ground];
  const sea: LayerSpecification = {
    id: 'sea',
    type: 'background',
    paint: { 'background-color': ink.sea },
  };
  const { basemap } = overview;
  if (basemap?.tiles !== 'mvt') return { version: 8, sources: {}, layers: [sea] };
  const { w, s, e, n, minZoom, maxZoom, attribution, version } = basemap;
  const tiles = new URL(router.href('/api/map/basemap/'), location.href).href;
  return {
    version: 8,
    sources: {
      base: {
        type: 'vector',
        tiles: [`${tiles}{z}/{x}/{y}?${version}`],
        bounds: [w, s, e, n],
        minzoom: minZoom,
        maxzoom: maxZoom,
        attribution,
      },
    },
    layers: [sea, ...layersOf(new Set(basemap.layers), ground)],
  };
}

/** The layer that the wind is put under. */
export const ABOVE_WIND = 'borders';

function layersOf(layers: Set<string>, ground: Ground): LayerSpecification[] {
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
      id: ABOVE_WIND,
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

function names(ground: Ground): LayerSpecification {
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
