import type { MapSpot } from '../types.ts';

/** A place in the editor; pinned places take priority on the map. */
export interface Place extends MapSpot {
  pinned: boolean;
}

/** Parses "54.18, 7.89" with comma, semicolon or spaces; null if it is not a valid position. */
export function coordinatesOf(text: string): { lat: number; lon: number } | null {
  const found = /^\s*(-?\d{1,2}(?:\.\d+)?)\s*[,;\s]\s*(-?\d{1,3}(?:\.\d+)?)\s*$/.exec(text);
  if (!found) return null;
  const [lat, lon] = [Number(found[1]), Number(found[2])];
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : null;
}

/** Merges two lists; a place that is in both is pinned. */
export function joined(spots: readonly MapSpot[], pinned: readonly MapSpot[]): Place[] {
  const known = new Set(pinned.map(nameAndPlace));
  return [
    ...pinned.map((spot) => ({ ...spot, pinned: true })),
    ...spots
      .filter((spot) => !known.has(nameAndPlace(spot)))
      .map((spot) => ({ ...spot, pinned: false })),
  ];
}

export function splitPlaces(places: readonly Place[]): { spots: MapSpot[]; pinned: MapSpot[] } {
  const bare = ({ name, lat, lon }: Place): MapSpot => ({ name, lat, lon });
  return {
    spots: places.filter((place) => !place.pinned).map(bare),
    pinned: places.filter((place) => place.pinned).map(bare),
  };
}

const nameAndPlace = ({ name, lat, lon }: MapSpot): string => `${name} ${lat} ${lon}`;
