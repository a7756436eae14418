import type { Map as Libre } from 'maplibre-gl';
import type { MapModel, Overview } from '../data/types.ts';
import type { Area } from './flow.ts';
import type { MapHour } from './sheet.ts';

export interface MapView {
  lat: number;
  lon: number;
  zoom: number;
}

export const EUROPE: MapView = { lat: 51, lon: 9, zoom: 4.2 };

/** Reads the view from the address; invalid values are ignored. */
export function viewOfAddress(query: URLSearchParams): MapView {
  const part = (name: string, low: number, high: number, otherwise: number): number => {
    const text = query.get(name);
    const value = Number(text);
    return text && value >= low && value <= high ? value : otherwise;
  };
  return {
    lat: part('lat', -85, 85, EUROPE.lat),
    lon: part('lon', -180, 180, EUROPE.lon),
    zoom: part('z', 1, 12, EUROPE.zoom),
  };
}

/** Returns the model from the address, or the finest one that covers the centre. */
export function modelOf(
  overview: Overview,
  wanted: string | null,
  view: MapView,
): MapModel | undefined {
  const holds = ({ area: { w, s, e, n } }: MapModel): boolean =>
    view.lon >= w && view.lon <= e && view.lat >= s && view.lat <= n;
  return (
    overview.models.find(({ id }) => id === wanted) ??
    overview.models.find((model) => holds(model) && (wide(model) || view.zoom > 5.5)) ??
    overview.models.at(-1)
  );
}

/** Covers a continent, and so fills a screen at the initial zoom. */
const wide = ({ area }: MapModel): boolean => area.e - area.w > 60;

/** Returns the index of the hour closest to a time. */
export function hourAt(hours: MapHour[], time: number): number {
  let best = 0;
  hours.forEach((hour, index) => {
    if (Math.abs(hour.time - time) < Math.abs(hours[best]!.time - time)) best = index;
  });
  return best;
}

/** Returns the visible part of the world. */
export function boundsOf(map: Libre): Area {
  const bounds = map.getBounds();
  return {
    w: bounds.getWest(),
    s: bounds.getSouth(),
    e: bounds.getEast(),
    n: bounds.getNorth(),
  };
}
