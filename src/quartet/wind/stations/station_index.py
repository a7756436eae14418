"""Nearest-station lookup in memory."""

import math
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from quartet.wind.stations.merging import EARTH_KM
from quartet.wind.stations.types import Position

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DEGREE_KM = 111.2
_CELLS_PER_DEGREE = 2
_COLUMNS = 360 * _CELLS_PER_DEGREE
# Number of cells whose neighbourhoods are cached.
_MOST_KEPT = 2000

_Cell = tuple[int, int]


class NearStation(NamedTuple):
    km: float
    station: int


class _Neighbours(NamedTuple):
    """Stations that may be near a cell, as vectors on the unit sphere."""

    places: "NDArray[np.float64]"
    stations: list[int]


class StationIndex:
    """Keeps the stations in arrays sorted by cell, which take a tenth of the memory of objects."""

    def __init__(self, stations: Iterable[Position]) -> None:
        keys, lats, lons, ids = array("q"), array("d"), array("d"), array("q")
        for lat, lon, number in stations:
            keys.append(_key(*_cell(lat, lon)))
            lats.append(lat)
            lons.append(lon)
            ids.append(number)
        order = sorted(range(len(keys)), key=keys.__getitem__)
        self._keys = array("q", map(keys.__getitem__, order))
        self._lats = array("d", map(lats.__getitem__, order))
        self._lons = array("d", map(lons.__getitem__, order))
        self._ids = array("q", map(ids.__getitem__, order))
        self._kept: dict[tuple[_Cell, float], _Neighbours] = {}

    def around(self, lat: float, lon: float, within_km: float) -> list[NearStation]:
        """Return stations within a distance, nearest first."""
        places, stations = self._neighbours(_cell(lat, lon), within_km)
        # Cosines of the angles to the stations: larger means nearer.
        closeness = (places @ _on_ball(lat, lon)).tolist()
        least = _least(within_km)
        found = sorted(zip(closeness, stations, strict=True), reverse=True)
        return [NearStation(_km(cosine), station) for cosine, station in found if cosine >= least]

    def nearest(self, lat: float, lon: float, within_km: float) -> NearStation | None:
        places, stations = self._neighbours(_cell(lat, lon), within_km)
        if not stations:
            return None
        closeness = places @ _on_ball(lat, lon)
        first = int(closeness.argmax())
        best = float(closeness[first])
        return NearStation(_km(best), stations[first]) if best >= _least(within_km) else None

    def restrict_to(self, stations: Collection[int]) -> "StationIndex":
        """Return an index restricted to these stations."""
        return StationIndex(
            (lat, lon, id_)
            for lat, lon, id_ in zip(self._lats, self._lons, self._ids, strict=True)
            if id_ in stations
        )

    def neighbours(self, lat: float, lon: float, within_km: float) -> list[int]:
        """Return the stations near a cell, which are likely to be requested together."""
        return self._neighbours(_cell(lat, lon), within_km).stations

    def _neighbours(self, cell: _Cell, within_km: float) -> _Neighbours:
        if found := self._kept.get((cell, within_km)):
            return found
        # Imported here so that an idle service does not load numpy.
        import numpy as np

        spots = list(self._spots_around(cell, within_km))
        places = np.array([_on_ball(lat, lon) for lat, lon, _ in spots]).reshape(-1, 3)
        if len(self._kept) >= _MOST_KEPT:
            self._kept.clear()
        found = _Neighbours(places, [station for *_, station in spots])
        self._kept[cell, within_km] = found
        return found

    def _spots_around(self, cell: _Cell, within_km: float) -> Iterator[Position]:
        high = within_km / _DEGREE_KM
        south, west = (number / _CELLS_PER_DEGREE for number in cell)
        north, east = south + 1 / _CELLS_PER_DEGREE, west + 1 / _CELLS_PER_DEGREE
        # Degrees of longitude shrink towards the poles.
        farthest = min(max(abs(south), abs(north)) + high, 90)
        wide = min(high / max(math.cos(math.radians(farthest)), high / 180), 180)
        columns = {column % _COLUMNS for column in _from_to(west - wide, east + wide)}
        for row in _from_to(south - high, north + high):
            for column in columns:
                key = _key(row, column)
                for place in range(bisect_left(self._keys, key), bisect_left(self._keys, key + 1)):
                    yield self._lats[place], self._lons[place], self._ids[place]


def _cell(lat: float, lon: float) -> _Cell:
    return _number(lat), _number(lon) % _COLUMNS


def _key(row: int, column: int) -> int:
    return row * _COLUMNS + column


def _from_to(low: float, high: float) -> range:
    return range(_number(low), _number(high) + 1)


def _number(degrees: float) -> int:
    return math.floor(degrees * _CELLS_PER_DEGREE)


def _on_ball(lat: float, lon: float) -> tuple[float, float, float]:
    a, b = math.radians(lat), math.radians(lon)
    return math.cos(a) * math.cos(b), math.cos(a) * math.sin(b), math.sin(a)


def _least(within_km: float) -> float:
    return math.cos(within_km / EARTH_KM)


def _km(closeness: float) -> float:
    return EARTH_KM * math.acos(min(1.0, closeness))
