import type { Favorite } from '../data/types.ts';

interface Place {
  lat: number;
  lon: number;
  station?: string;
}

/** Spots lie on a grid of a hundredth of a degree; a station is always itself. */
export function sameSpot(spot: Pick<Favorite, 'lat' | 'lon' | 'station'>, place: Place): boolean {
  if (place.station) return spot.station === place.station;
  const near = (one: number, other: number): boolean => Math.abs(one - other) < 0.006;
  return near(spot.lat, place.lat) && near(spot.lon, place.lon);
}
