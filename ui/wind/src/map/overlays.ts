import type { FeatureCollection } from 'geojson';
import type { GeoJSONSource, LayerSpecification, Map as Libre, PointLike } from 'maplibre-gl';
import { gaugePicture } from './gauges.ts';
import { pinPicture } from './pins.ts';
import { ABOVE_WIND, LAND } from './style.ts';
import type { WindLayer } from './windLayer.ts';

export type Overlay = 'pins' | 'gauges';
export type Overlays = Record<Overlay, FeatureCollection>;

const NOTHING: FeatureCollection = { type: 'FeatureCollection', features: [] };

/** Collision padding: markers that would touch are hidden, more of them at small scales. */
const THINNING = {
  'icon-padding': ['interpolate', ['linear'], ['zoom'], 3, 16, 6, 6, 9, 1],
  'icon-image': ['get', 'icon'],
  'symbol-sort-key': ['get', 'order'],
} as const;

const LAYERS: LayerSpecification[] = [
  {
    id: 'gauges',
    type: 'symbol',
    source: 'gauges',
    // Below this zoom the gauges along a river would cover each other.
    minzoom: 6,
    layout: { ...THINNING } as never,
  },
  { id: 'pins', type: 'symbol', source: 'pins', layout: { ...THINNING } as never },
];

/** Returns the layer below which the wind is drawn; waves are drawn below the land. */
function aboveWind(map: Libre, atSea: boolean): string | undefined {
  return (atSea ? [LAND, ...ABOVE_WIND] : ABOVE_WIND).find((id) => map.getLayer(id));
}

/** Moves the wind when it shows waves, or no longer. */
export function place(map: Libre, wind: WindLayer, atSea: boolean): void {
  if (map.getLayer(wind.id)) map.moveLayer(wind.id, aboveWind(map, atSea));
}

/** Adds the wind and all markers to a style that was just loaded. */
export function dress(map: Libre, wind: WindLayer, data: Overlays, atSea: boolean): void {
  map.addLayer(wind, aboveWind(map, atSea));
  for (const layer of LAYERS) {
    const source = layer.id as Overlay;
    map.addSource(source, { type: 'geojson', data: data[source] });
    map.addLayer(layer);
  }
}

/** Draws marker images when the map first needs them. */
export function drawPictures(map: Libre): void {
  map.setMissingStyleImageResolver((name) => {
    const picture = map.hasImage(name) ? undefined : (pinPicture(name) ?? gaugePicture(name));
    if (picture) map.addImage(name, picture, { pixelRatio: 2 });
  });
}

export function fill(map: Libre, overlay: Overlay, data: FeatureCollection | undefined): void {
  (map.getSource(overlay) as GeoJSONSource | undefined)?.setData(data ?? NOTHING);
}

/** Returns the feature at a point, with some tolerance for fingers. */
export function hitAt(map: Libre, point: { x: number; y: number }): Hit | undefined {
  const room = matchMedia('(pointer: coarse)').matches ? 12 : 3;
  const box: [PointLike, PointLike] = [
    [point.x - room, point.y - room],
    [point.x + room, point.y + room],
  ];
  const layers = LAYERS.map(({ id }) => id).filter((id) => map.getLayer(id));
  const found = map.queryRenderedFeatures(box, { layers }).at(0);
  return found && { overlay: found.layer.id as Overlay, id: String(found.properties.id) };
}

export interface Hit {
  overlay: Overlay;
  id: string;
}
