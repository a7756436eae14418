"""Reads borders from a TopoJSON file of countries, in which neighbours share arcs."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from quartet.wind.basemap.world.osm_land import on_map
from quartet.wind.basemap.world.shapes import Points

# Arc indexes; a complement (~i) means the arc is reversed.
Ring = list[int]


class _TopoGeometry(msgspec.Struct):
    type: str
    # Rings of a polygon; for a MultiPolygon nested one level deeper.
    arcs: list[Any] = []

    def polygons(self) -> list[list[Ring]]:
        return self.arcs if self.type == "MultiPolygon" else [self.arcs]


class _Collection(msgspec.Struct):
    geometries: list[_TopoGeometry]


class _Objects(msgspec.Struct):
    countries: _Collection


class _Transform(msgspec.Struct):
    scale: tuple[float, float]
    translate: tuple[float, float]


class _File(msgspec.Struct):
    objects: _Objects
    arcs: list[list[tuple[int, int]]]
    transform: _Transform


def read_borders(path: Path) -> list[Points]:
    """Return the lines between countries in map coordinates."""
    file = msgspec.json.decode(path.read_bytes(), type=_File)
    return [_line(file.arcs[number], file.transform) for number in _shared(file.objects.countries)]


def _line(arc: list[tuple[int, int]], transform: _Transform) -> Points:
    degrees = np.cumsum(np.array(arc, np.float64), axis=0) * transform.scale + transform.translate
    return on_map(degrees)


def _shared(countries: _Collection) -> list[int]:
    """Return the arcs shared by two countries."""
    owners: defaultdict[int, set[int]] = defaultdict(set)
    for owner, country in enumerate(countries.geometries):
        for polygon in country.polygons():
            for number in (number for ring in polygon for number in ring):
                owners[number if number >= 0 else ~number].add(owner)
    return sorted(number for number, found in owners.items() if len(found) > 1)
