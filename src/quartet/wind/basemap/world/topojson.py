"""Reads countries from a TopoJSON file, in which neighbours share arcs."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from quartet.wind.basemap.world.map_edges import close_at_pole, duplicate_at_edges
from quartet.wind.basemap.world.shapes import Points, Polygon, Shapes

# The edge of the Web Mercator map.
_LAST_LATITUDE = 85.0511287798066
# Arc indexes; a complement (~i) means the arc is reversed.
Ring = list[int]


class _Geometry(msgspec.Struct):
    type: str
    # Rings of a polygon; for a MultiPolygon nested one level deeper.
    arcs: list[Any] = []

    def polygons(self) -> list[list[Ring]]:
        return self.arcs if self.type == "MultiPolygon" else [self.arcs]


class _Collection(msgspec.Struct):
    geometries: list[_Geometry]

    def polygons(self) -> list[list[Ring]]:
        return [polygon for geometry in self.geometries for polygon in geometry.polygons()]


class _Objects(msgspec.Struct):
    countries: _Collection
    land: _Collection


class _Transform(msgspec.Struct):
    scale: tuple[float, float]
    translate: tuple[float, float]


class _File(msgspec.Struct):
    objects: _Objects
    arcs: list[list[tuple[int, int]]]
    transform: _Transform


class World:
    """Arcs that can be simplified before shapes are built, so that neighbours still match."""

    def __init__(self, path: Path) -> None:
        file = msgspec.json.decode(path.read_bytes(), type=_File)
        self.lines = [_line(arc, file.transform) for arc in file.arcs]
        self._land = file.objects.land.polygons()
        self._borders = _shared(file.objects.countries)

    def shapes(self, lines: list[Points]) -> Shapes:
        """Build the shapes from simplified lines."""
        land: list[Polygon] = [[_joined(ring, lines) for ring in polygon] for polygon in self._land]
        return duplicate_at_edges(Shapes(land, [lines[number] for number in self._borders]))


def _line(arc: list[tuple[int, int]], transform: _Transform) -> Points:
    degrees = np.cumsum(np.array(arc, np.float64), axis=0) * transform.scale + transform.translate
    lats = np.radians(np.clip(degrees[:, 1], -_LAST_LATITUDE, _LAST_LATITUDE))
    # Lines that cross the date line continue beyond the edge of the map.
    x = np.unwrap(degrees[:, 0] / 360 + 0.5, period=1)
    return np.stack([x, 0.5 - np.arcsinh(np.tan(lats)) / (2 * np.pi)], 1)


def _joined(ring: Ring, lines: list[Points]) -> Points:
    """Join arcs; the last point of each is the first of the next."""
    parts = [lines[number] if number >= 0 else lines[~number][::-1] for number in ring]
    joined = np.concatenate([part[:-1] for part in parts])
    joined[:, 0] = np.unwrap(joined[:, 0], period=1)
    return close_at_pole(joined)


def _shared(countries: _Collection) -> list[int]:
    """Return the arcs shared by two countries."""
    owners: defaultdict[int, set[int]] = defaultdict(set)
    for owner, country in enumerate(countries.geometries):
        for polygon in country.polygons():
            for number in (number for ring in polygon for number in ring):
                owners[number if number >= 0 else ~number].add(owner)
    return sorted(number for number, found in owners.items() if len(found) > 1)
