"""Reads lakes from the shorelines of GSHHG (binary, such as `gshhs_f.b`)."""

import struct
from collections import defaultdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quartet.wind.basemap.world.osm_land import on_map
from quartet.wind.basemap.world.shapes import Points, Polygon

# Number, points, flag, west, east, south, north, two areas, container and ancestor.
_HEAD = struct.Struct(">11i")
_LAKE, _ISLAND = 2, 3
_MILLIONTH = 1e-6


def read_lakes(path: Path) -> list[Polygon]:
    """Return lakes with their islands as holes, in map coordinates."""
    data = path.read_bytes()
    lakes: dict[int, Points] = {}
    islands: defaultdict[int, list[Points]] = defaultdict(list)
    place = 0
    while place + _HEAD.size <= len(data):
        number, count, flag, *_, container, _ancestor = _HEAD.unpack_from(data, place)
        place += _HEAD.size
        if count < 0 or place + 8 * count > len(data):
            raise ValueError(f"{path} is not a file of GSHHG, or is truncated")
        level = flag & 255
        if level in (_LAKE, _ISLAND):
            ring = _ring(np.frombuffer(data, ">i4", 2 * count, place))
            if level == _LAKE:
                lakes[number] = ring
            else:
                islands[container].append(ring)
        place += 8 * count
    return [[ring, *islands[number]] for number, ring in lakes.items() if len(ring) > 2]


def _ring(millionths: NDArray[np.int32]) -> Points:
    degrees: Points = millionths.reshape(-1, 2).astype(np.float64) * _MILLIONTH
    # Longitudes run from 0 to 360, also in rings that cross Greenwich.
    lons = np.unwrap(degrees[:, 0], period=360)
    degrees[:, 0] = lons - 360 * round(float(lons.mean()) / 360)
    closed = len(degrees) > 1 and (degrees[0] == degrees[-1]).all()
    return on_map(degrees[:-1] if closed else degrees)
