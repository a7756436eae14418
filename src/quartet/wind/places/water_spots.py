"""The spots for wind sports that are included or added by the operator; they are on the water."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from quartet.wind.places import store
from quartet.wind.places.bundled import bundled_spots
from quartet.wind.places.coordinates import snapped


class WaterSpots:
    """Knows the included spots, until it has read an index of places with more of them."""

    def __init__(self) -> None:
        # In order, as whole numbers: a set of them would take thirty times the memory.
        self._known: array[int] | None = None
        self._edition: str | None = None

    def surface_of(self, lat: float, lon: float) -> Literal["sea"] | None:
        """Look up a place whose coordinates are rounded to hundredths of a degree."""
        if self._known is None:
            self._known = _sorted((spot.lat, spot.lon) for spot in bundled_spots())
        number = _number(lat, lon)
        place = bisect_left(self._known, number)
        is_known = place < len(self._known) and self._known[place] == number
        return "sea" if is_known else None

    def read(self, places: Path) -> None:
        """Read the spots of an index, unless it is the one that was read last."""
        edition = store.edition(places)
        if edition not in (None, self._edition):
            found = store.spots(places)
            self._known = _sorted((snapped(lat), snapped(lon)) for lat, lon in found)
            self._edition = edition


def _sorted(places: Iterable[tuple[float, float]]) -> "array[int]":
    return array("i", sorted(_number(lat, lon) for lat, lon in places))


def _number(lat: float, lon: float) -> int:
    """Return a number for coordinates in hundredths of a degree."""
    return round(lat * 100) * 36_000 + round(lon * 100)


# For runs that are read without a service. Nothing changes it.
INCLUDED = WaterSpots()
