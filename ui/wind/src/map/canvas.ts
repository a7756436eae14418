import type { Map as Libre, StyleSpecification } from 'maplibre-gl';
import * as m from '../paraglide/messages.js';
import { AttributionControl, LibreMap, NavigationControl } from './libre.ts';
import type { MapView } from './view.ts';

/** Pixels; on narrower maps the sources are shown on request. */
const NARROW = 640;

interface Options {
  box: HTMLElement;
  style: StyleSpecification;
  view: MapView;
  /** Called after the user has moved the map; without it the map cannot be moved. */
  onview?: (view: MapView) => void;
}

/** Creates the map; rotation and tilt are disabled because they make it harder to read. */
export function createMap({ box, style, view, onview }: Options): Libre {
  const map = new LibreMap({
    container: box,
    style,
    center: [view.lon, view.lat],
    zoom: view.zoom,
    minZoom: 1,
    maxZoom: 12,
    renderWorldCopies: false,
    interactive: onview !== undefined,
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
    attributionControl: false,
    locale: {
      'Map.Title': m.map_label(),
      'NavigationControl.ZoomIn': m.zoom_in(),
      'NavigationControl.ZoomOut': m.zoom_out(),
    },
  });
  map.touchZoomRotate.disableRotation();
  if (onview) map.addControl(new NavigationControl({ showCompass: false }), 'top-right');
  map.addControl(new AttributionControl({ compact: true }), 'top-right');
  // MapLibre would open it first, over a third of a phone. It only opens what is not yet compact.
  if (box.clientWidth < NARROW) {
    const sources = box.querySelector('.maplibregl-ctrl-attrib');
    sources?.removeAttribute('open');
    sources?.classList.add('maplibregl-compact');
  }
  map.on('moveend', () => {
    const { lat, lng } = map.getCenter();
    onview?.({ lat, lon: lng, zoom: map.getZoom() });
  });
  return map;
}
