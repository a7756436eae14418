"""The spots for wind sports that are included or added by the operator; they are on the water."""

from pathlib import Path
from typing import Literal

from quartet.wind.places import store
from quartet.wind.places.bundled import bundled_spots
from quartet.wind.places.coordinates import snapped


class WaterSpots:
    """Knows the included spots, until it has read an index of places with more of them."""

    def __init__(self) -> None:
        self._known: frozenset[tuple[float, float]] | None = None
        self._edition: str | None = None

    def surface_of(self, lat: float, lon: float) -> Literal["sea"] | None:
        """Look up a place whose coordinates are rounded to hundredths of a degree."""
        if self._known is None:
            self._known = frozenset((spot.lat, spot.lon) for spot in bundled_spots())
        return "sea" if (lat, lon) in self._known else None

    def read(self, places: Path) -> None:
        """Read the spots of an index, unless it is the one that was read last."""
        edition = store.edition(places)
        if edition not in (None, self._edition):
            found = store.spots(places)
            self._known = frozenset((snapped(lat), snapped(lon)) for lat, lon in found)
            self._edition = edition


# For runs that are read without a service. Nothing changes it.
INCLUDED = WaterSpots()
