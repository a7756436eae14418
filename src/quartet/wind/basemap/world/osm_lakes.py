"""Reads lakes and wide rivers of OpenStreetMap from a collection of GeoJSON polygons."""

from pathlib import Path

import msgspec
import numpy as np

from quartet.wind.basemap.world.osm_land import on_map
from quartet.wind.basemap.world.place_names import DETAILED
from quartet.wind.basemap.world.shapes import Points, Polygon

_Ring = list[tuple[float, float]]
# The oceans are in the same file, and already on the map. No lake is as wide as this.
_WIDEST_DEGREES = 15.0
# Ponds would make the file several times larger.
_SMALLEST_DEGREES, _SMALLEST_ELSEWHERE = 0.04, 0.25


class _Geometry(msgspec.Struct, tag_field="type"):
    pass


class _OnePolygon(_Geometry, tag="Polygon"):
    coordinates: list[_Ring]

    @property
    def polygons(self) -> list[list[_Ring]]:
        return [self.coordinates]


class _MultiPolygon(_Geometry, tag="MultiPolygon"):
    coordinates: list[list[_Ring]]

    @property
    def polygons(self) -> list[list[_Ring]]:
        return self.coordinates


class _Collection(msgspec.Struct):
    geometries: list[_OnePolygon | _MultiPolygon]


def read_osm_lakes(path: Path) -> list[Polygon]:
    """Return lakes with their islands as holes, in map coordinates."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=_Collection).geometries
    except msgspec.MsgspecError as error:
        raise ValueError(f"{path} is not a collection of polygons: {error}") from error
    lakes = []
    for geometry in found:
        for rings in geometry.polygons:
            shore, *islands = (_points(ring) for ring in rings)
            if _is_shown(shore):
                lakes.append([on_map(points) for points in (shore, *islands) if len(points) > 2])
    return lakes


def _is_shown(shore: Points) -> bool:
    size = np.ptp(shore, axis=0)
    west, south, east, north = DETAILED
    lon, lat = shore[0]
    detailed = west <= lon <= east and south <= lat <= north
    smallest = _SMALLEST_DEGREES if detailed else _SMALLEST_ELSEWHERE
    return bool(len(shore) > 2 and size.max() >= smallest and size[0] < _WIDEST_DEGREES)


def _points(ring: _Ring) -> Points:
    degrees = np.array(ring, np.float64).reshape(-1, 2)
    # The last point repeats the first one.
    return degrees[:-1] if len(degrees) > 1 and (degrees[0] == degrees[-1]).all() else degrees
