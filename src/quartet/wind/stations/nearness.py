"""Which station is next to a place, from memory."""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from quartet.wind.stations.merging import distance_km
from quartet.wind.stations.types import Known

_DEGREE_KM = 111.2


class Near(NamedTuple):
    km: float
    station: int


class Nearness:
    def __init__(self, stations: Iterable[Known]) -> None:
        self._cells: dict[tuple[int, int], list[tuple[float, float, int]]] = {}
        for each in stations:
            cell = (math.floor(each.lat), math.floor(each.lon) % 360)
            self._cells.setdefault(cell, []).append((each.lat, each.lon, each.id))

    def around(self, lat: float, lon: float, within_km: float) -> list[Near]:
        """The nearest first."""
        found = (
            Near(distance_km(lat, lon, *there), station)
            for *there, station in self._candidates(lat, lon, within_km)
        )
        return sorted(near for near in found if near.km <= within_km)

    def nearest(
        self, lat: float, lon: float, within_km: float, preferred: Callable[[int], bool]
    ) -> Near | None:
        around = self.around(lat, lon, within_km)
        return next((near for near in around if preferred(near.station)), None) or (
            around[0] if around else None
        )

    def _candidates(
        self, lat: float, lon: float, within_km: float
    ) -> Iterator[tuple[float, float, int]]:
        high = within_km / _DEGREE_KM
        # Towards the poles degrees of longitude shrink to nothing.
        widest = max(math.cos(math.radians(min(abs(lat) + high, 90))), high / 180)
        wide = min(high / widest, 180)
        columns = {
            column % 360 for column in range(math.floor(lon - wide), math.floor(lon + wide) + 1)
        }
        for row in range(math.floor(lat - high), math.floor(lat + high) + 1):
            for column in columns:
                yield from self._cells.get((row, column), ())
