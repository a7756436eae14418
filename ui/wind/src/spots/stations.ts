import type { Pin } from '../data/types.ts';

interface Place {
  lat: number;
  lon: number;
}

export interface NearStation {
  slug: string;
  name: string;
  km: number;
}

const MOST = 12;
const FARTHEST_KM = 150;
const EARTH_KM = 6371;

/** Returns stations to compare a spot with, nearest first. */
export function stationsNear(
  spot: Place,
  pins: Pick<Pin, 'slug' | 'name' | 'lat' | 'lon'>[],
): NearStation[] {
  return pins
    .map(({ slug, name, lat, lon }) => ({ slug, name, km: kmBetween(spot, { lat, lon }) }))
    .filter(({ km }) => km <= FARTHEST_KM)
    .sort((one, other) => one.km - other.km)
    .slice(0, MOST);
}

export function kmBetween(one: Place, other: Place): number {
  const radians = (degrees: number): number => (degrees * Math.PI) / 180;
  const half = (from: number, to: number): number => Math.sin(radians(to - from) / 2) ** 2;
  const widths = Math.cos(radians(one.lat)) * Math.cos(radians(other.lat));
  const square = half(one.lat, other.lat) + widths * half(one.lon, other.lon);
  return 2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(square)));
}
