interface Place {
  lat: number;
  lon: number;
}

/** Spots are on a grid of 0.01°. */
export function sameSpot(spot: Place, place: Place): boolean {
  const near = (one: number, other: number): boolean => Math.abs(one - other) < 0.006;
  return near(spot.lat, place.lat) && near(spot.lon, place.lon);
}
