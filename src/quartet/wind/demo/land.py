"""Land and sea of the demo, from the included relief."""

import struct
import zlib
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from quartet.wind.basemap.archive import Archive, FileVersion
from quartet.wind.basemap.service import BUILT_IN, RELIEF
from quartet.wind.demo.fields import CellPlace, coordinates_of
from quartet.wind.grid.arrays import Doubles
from quartet.wind.grid.geometry import Grid

_ZOOM, _TILE = 3, 256
# The position of the pixels in our PNG files: after the signature and the header.
_PIXELS_AT = 33
_NORTHMOST = 85.0


@lru_cache(maxsize=16)
def is_sea(place: Grid | CellPlace) -> NDArray[np.bool_]:
    """Return which points are at sea, where the relief has a height of zero."""
    lats, lons = coordinates_of(place)
    rows, columns = _rows(lats), _columns(lons)
    at = np.ix_(rows, columns) if isinstance(place, Grid) else (rows, columns)
    return np.asarray((_relief() == 0)[at])


def land_fractions(place: Grid | CellPlace) -> Doubles:
    """Return how much of each point is land, as the models publish it."""
    return np.where(is_sea(place), 0.0, 1.0)


def _rows(lats: Doubles) -> NDArray[np.intp]:
    up = np.radians(np.clip(lats, -_NORTHMOST, _NORTHMOST))
    size = _TILE << _ZOOM
    y = (1 - np.arcsinh(np.tan(up)) / np.pi) / 2 * size
    return np.clip(y.astype(np.intp), 0, size - 1)


def _columns(lons: Doubles) -> NDArray[np.intp]:
    size = _TILE << _ZOOM
    return ((lons + 180) / 360 * size).astype(np.intp) % size


@lru_cache(maxsize=1)
def _relief() -> NDArray[np.int32]:
    """Return the heights of the included relief in metres."""
    stamp = FileVersion.of(BUILT_IN / RELIEF)
    if stamp is None:
        raise FileNotFoundError(BUILT_IN / RELIEF)
    archive = Archive(stamp)
    count = 1 << _ZOOM
    tiles = [[_tile(archive, x, y) for x in range(count)] for y in range(count)]
    return np.block(tiles)


def _tile(archive: Archive, x: int, y: int) -> NDArray[np.int32]:
    tile = archive.tile(_ZOOM, x, y)
    if tile is None:
        return np.zeros((_TILE, _TILE), np.int32)
    (length,) = struct.unpack_from(">I", tile.data, _PIXELS_AT)
    start = _PIXELS_AT + 8
    rows = np.frombuffer(zlib.decompress(tile.data[start : start + length]), np.uint8)
    # Each byte is the difference to the one above it.
    pixels = np.cumsum(rows.reshape(_TILE, -1)[:, 1:], axis=0, dtype=np.uint8)
    red, green = pixels[:, 0::3].astype(np.int32), pixels[:, 1::3].astype(np.int32)
    return red * 256 + green - 32768
