"""Whether a place is a known spot for wind sports, which is on the water."""

from functools import lru_cache

from quartet.wind.places.bundled import bundled_spots


def is_water_spot(lat: float, lon: float) -> bool:
    """Look up a place whose coordinates are rounded to hundredths of a degree."""
    return (lat, lon) in _known()


@lru_cache(maxsize=1)
def _known() -> frozenset[tuple[float, float]]:
    return frozenset((spot.lat, spot.lon) for spot in bundled_spots())
