"""Reads the land polygons of OpenStreetMap from a multipolygon in well-known binary (WKB)."""

import struct
from pathlib import Path

import numpy as np

from quartet.wind.basemap.world.shapes import Points, Polygon

# The edge of the Web Mercator map.
LAST_LATITUDE = 85.0511287798066
_HEAD = struct.Struct("<BII")
_COUNT = struct.Struct("<I")
_MULTIPOLYGON, _POLYGON = 6, 3
_POINT_BYTES = 16


def read_land(path: Path) -> list[Polygon]:
    """Return the polygons in map coordinates; rings have no repeated last point."""
    data = path.read_bytes()
    _, kind, count = _HEAD.unpack_from(data)
    if kind != _MULTIPOLYGON:
        raise ValueError(f"{path} is not a multipolygon")
    place, polygons = _HEAD.size, []
    for _ in range(count):
        _, kind, rings = _HEAD.unpack_from(data, place)
        if kind != _POLYGON:
            raise ValueError(f"{path} has a part that is not a polygon")
        place += _HEAD.size
        polygon = []
        for _ in range(rings):
            (points,) = _COUNT.unpack_from(data, place)
            place += _COUNT.size
            degrees = np.frombuffer(data, "<f8", 2 * points, place).reshape(-1, 2)
            polygon.append(on_map(degrees[:-1]))
            place += points * _POINT_BYTES
        polygons.append(polygon)
    return polygons


def on_map(degrees: Points) -> Points:
    """Convert longitude and latitude to map coordinates."""
    lats = np.radians(np.clip(degrees[:, 1], -LAST_LATITUDE, LAST_LATITUDE))
    x = degrees[:, 0] / 360 + 0.5
    return np.stack([x, 0.5 - np.arcsinh(np.tan(lats)) / (2 * np.pi)], 1)
