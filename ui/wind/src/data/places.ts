import { language } from '@quartet/kit';
import * as m from '../paraglide/messages.js';
import type { Place, Station } from './types.ts';

const COUNTRIES = new Map<string, Intl.DisplayNames>();

export function country(code: string): string {
  const names =
    COUNTRIES.get(language.current) ?? new Intl.DisplayNames(language.current, { type: 'region' });
  COUNTRIES.set(language.current, names);
  try {
    return names.of(code) ?? code;
  } catch {
    // Not a region code that the browser knows.
    return code;
  }
}

/** "53.55° N, 9.99° E" */
export function coordinates(lat: number, lon: number): string {
  const part = (value: number, [plus, minus]: [string, string]): string =>
    `${Math.abs(value).toFixed(2)}° ${value < 0 ? minus : plus}`;
  const east = language.current === 'de' ? 'O' : 'E';
  return `${part(lat, ['N', 'S'])}, ${part(lon, [east, 'W'])}`;
}

export function stationPath(slug: string): string {
  return `/station/${encodeURIComponent(slug)}`;
}

/** Points are on a grid of 0.01°, so that nearby ones share an address. */
export function pointPath(lat: number, lon: number, name = ''): string {
  const query = new URLSearchParams({ lat: lat.toFixed(2), lon: lon.toFixed(2) });
  if (name) query.set('name', name);
  return `/point?${query}`;
}

export function stationDetail(station: Station): string {
  const code = station.codes.icao ?? station.codes.wmo ?? station.codes.dwd;
  return [code, station.city, country(station.country)].filter(Boolean).join(' · ');
}

const KINDS: Record<NonNullable<Place['kind']>, (() => string) | undefined> = {
  town: undefined,
  spot: m.place_spot,
  beach: m.place_beach,
  lake: m.place_lake,
  bay: m.place_bay,
  cape: m.place_cape,
  island: m.place_island,
  harbour: m.place_harbour,
};

export function placeDetail(place: Place): string {
  const kind = KINDS[place.kind ?? 'town']?.();
  const land = place.country && country(place.country);
  // Some regions are countries.
  return [...new Set([kind, place.region, land])].filter(Boolean).join(' · ');
}
