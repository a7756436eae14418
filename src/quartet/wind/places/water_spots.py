"""The spots for wind sports that are included or added by the operator; they are on the water."""

from pathlib import Path
from typing import Literal

from quartet.wind.places import store
from quartet.wind.places.bundled import bundled_spots
from quartet.wind.places.coordinates import snapped


class WaterSpots:
    """Knows the included spots, until it has read an index of places with more of them."""

    def __init__(self) -> None:
        # As whole numbers, which take a third of the memory of pairs.
        self._known: frozenset[int] | None = None
        self._edition: str | None = None

    def surface_of(self, lat: float, lon: float) -> Literal["sea"] | None:
        """Look up a place whose coordinates are rounded to hundredths of a degree."""
        if self._known is None:
            self._known = frozenset(_number(spot.lat, spot.lon) for spot in bundled_spots())
        return "sea" if _number(lat, lon) in self._known else None

    def read(self, places: Path) -> None:
        """Read the spots of an index, unless it is the one that was read last."""
        edition = store.edition(places)
        if edition not in (None, self._edition):
            found = store.spots(places)
            self._known = frozenset(_number(snapped(lat), snapped(lon)) for lat, lon in found)
            self._edition = edition


def _number(lat: float, lon: float) -> int:
    """Return a number for coordinates in hundredths of a degree."""
    return round(lat * 100) * 36_000 + round(lon * 100)


# For runs that are read without a service. Nothing changes it.
INCLUDED = WaterSpots()
