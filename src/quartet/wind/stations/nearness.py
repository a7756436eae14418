"""Which station is next to a place, from memory."""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from quartet.wind.stations.merging import EARTH_KM
from quartet.wind.stations.types import Known

_DEGREE_KM = 111.2
_CELLS_PER_DEGREE = 2
_COLUMNS = 360 * _CELLS_PER_DEGREE


class Near(NamedTuple):
    km: float
    station: int


# A place on a ball of radius one, and the station there: from those, near and far are told by
# adding and multiplying alone.
_Spot = tuple[float, float, float, int]


class Nearness:
    def __init__(self, stations: Iterable[Known]) -> None:
        self._cells: dict[tuple[int, int], list[_Spot]] = {}
        for each in stations:
            spot = (*_on_ball(each.lat, each.lon), each.id)
            self._cells.setdefault(_cell(each.lat, each.lon), []).append(spot)

    def around(self, lat: float, lon: float, within_km: float) -> list[Near]:
        """The nearest first."""
        found = self._squared(lat, lon, within_km)
        return [Near(_km(squared), station) for squared, station in found]

    def nearest(
        self, lat: float, lon: float, within_km: float, preferred: Callable[[int], bool]
    ) -> Near | None:
        around = self._squared(lat, lon, within_km)
        if not around:
            return None
        squared, station = next((each for each in around if preferred(each[1])), around[0])
        return Near(_km(squared), station)

    def together(self, lat: float, lon: float) -> list[int]:
        """Stations of one part of the world, which are wanted after one another."""
        return [station for *_, station in self._cells.get(_cell(lat, lon), ())]

    def _squared(self, lat: float, lon: float, within_km: float) -> list[tuple[float, int]]:
        """Squares of straight lines through the ball, the shortest first."""
        x, y, z = _on_ball(lat, lon)
        farthest = (2 * math.sin(within_km / EARTH_KM / 2)) ** 2
        found = [
            (squared, station)
            for cell in self._cells_around(lat, lon, within_km)
            for a, b, c, station in cell
            if (squared := (a - x) * (a - x) + (b - y) * (b - y) + (c - z) * (c - z)) <= farthest
        ]
        found.sort()
        return found

    def _cells_around(self, lat: float, lon: float, within_km: float) -> Iterator[list[_Spot]]:
        high = within_km / _DEGREE_KM
        # Towards the poles degrees of longitude shrink to nothing.
        widest = max(math.cos(math.radians(min(abs(lat) + high, 90))), high / 180)
        wide = min(high / widest, 180)
        columns = {column % _COLUMNS for column in _from_to(lon - wide, lon + wide)}
        for row in _from_to(lat - high, lat + high):
            for column in columns:
                if cell := self._cells.get((row, column)):
                    yield cell


def _cell(lat: float, lon: float) -> tuple[int, int]:
    return _number(lat), _number(lon) % _COLUMNS


def _from_to(low: float, high: float) -> range:
    return range(_number(low), _number(high) + 1)


def _number(degrees: float) -> int:
    return math.floor(degrees * _CELLS_PER_DEGREE)


def _on_ball(lat: float, lon: float) -> tuple[float, float, float]:
    a, b = math.radians(lat), math.radians(lon)
    return math.cos(a) * math.cos(b), math.cos(a) * math.sin(b), math.sin(a)


def _km(squared: float) -> float:
    return 2 * EARTH_KM * math.asin(min(1.0, math.sqrt(squared) / 2))
