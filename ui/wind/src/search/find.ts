import MapPin from '@lucide/svelte/icons/map-pin';
import Crosshair from '@lucide/svelte/icons/crosshair';
import RadioTower from '@lucide/svelte/icons/radio-tower';
import Wind from '@lucide/svelte/icons/wind';
import { body, language, router, type Command, type Icon } from '@quartet/kit';
import { coordinates, placeDetail, pointPath, stationDetail, stationPath } from '../data/places.ts';
import * as m from '../paraglide/messages.js';
import { api } from '../service.ts';

/** A search result. */
export interface Hit {
  path: string;
  lat: number;
  lon: number;
  name: string;
  detail: string;
  icon: Icon;
  kind: 'station' | 'place' | 'point';
  live: boolean;
}

export async function find(text: string): Promise<Hit[]> {
  const query = { q: text, lang: language.current };
  const found = await body(api.GET('/api/stations', { params: { query } }));
  const hits: Hit[] = [];
  if (found.point) {
    const { lat, lon } = found.point;
    const path = pointPath(lat, lon);
    const name = coordinates(lat, lon);
    const detail = m.point();
    hits.push({ path, lat, lon, name, detail, icon: Crosshair, kind: 'point', live: false });
  }
  for (const station of found.stations) {
    const { slug, lat, lon, name, live } = station;
    const detail = stationDetail(station);
    const path = stationPath(slug);
    hits.push({ path, lat, lon, name, detail, icon: RadioTower, kind: 'station', live });
  }
  for (const place of found.places) {
    const { lat, lon, name } = place;
    const path = pointPath(lat, lon, name);
    const detail = placeDetail(place);
    const icon = place.kind === 'spot' ? Wind : MapPin;
    hits.push({ path, lat, lon, name, detail, icon, kind: 'place', live: false });
  }
  return hits;
}

/** The same results for the command palette. */
export async function findCommands(text: string): Promise<Command[]> {
  const hits = await find(text);
  return hits.map(({ name, detail, kind, icon, path }) => ({
    label: `${name} – ${detail}`,
    group: kind === 'station' ? m.stations() : m.places(),
    icon,
    run: () => router.go(path),
  }));
}
