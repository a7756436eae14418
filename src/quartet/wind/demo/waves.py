"""The waves of the demo, which go with its wind; there are none on land."""

import struct
import zlib
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quartet.wind.basemap.archive import Archive, FileVersion
from quartet.wind.basemap.service import BUILT_IN, RELIEF
from quartet.wind.demo.weather import Truth
from quartet.wind.grid.arrays import Doubles
from quartet.wind.grid.geometry import Grid
from quartet.wind.settings import DemoSize

# The model whose wind makes the waves.
WIND_OF = {"ecmwf-wave": "ecmwf", "gfs-wave": "gfs"}
_STEPS = {"full": 0.25, "small": 0.5, "tiny": 2.5}
_ZOOM, _TILE = 3, 256
# Where a PNG file of ours has its pixels: after the signature and the header.
_PIXELS_AT = 33
_NORTHMOST = 85.0


class Waves(NamedTuple):
    """Metres, seconds and degrees the waves come from."""

    height: Doubles
    period: Doubles
    direction: Doubles
    swell_height: Doubles
    swell_period: Doubles
    swell_direction: Doubles


def wave_grid(size: DemoSize) -> Grid:
    return Grid.world(_STEPS[size])


def waves_of(wind: Truth, grid: Grid) -> Waves:
    """Return the waves that a wind makes, and a swell from the west."""
    speed = np.hypot(wind.u, wind.v)
    lats = np.radians(grid.south + grid.step_y * np.arange(grid.ny))[:, None]
    swell = np.broadcast_to(0.3 + 1.2 * np.sin(lats) ** 2, speed.shape)
    own = 0.012 * speed**2
    height = np.hypot(own, swell)
    direction = (np.degrees(np.arctan2(wind.u, wind.v)) + 180) % 360
    period = 3 + 2.4 * np.sqrt(height)
    fields = Waves(
        height,
        period,
        np.where(own > swell, direction, 280.0),
        swell,
        np.full_like(speed, 11.0),
        np.full_like(speed, 280.0),
    )
    return Waves(*(np.where(is_sea(grid), field, np.nan) for field in fields))


@lru_cache(maxsize=4)
def is_sea(grid: Grid) -> NDArray[np.bool_]:
    """Return the points at sea, where the included relief has a height of zero."""
    lats = grid.south + grid.step_y * np.arange(grid.ny)
    lons = grid.west + grid.step_x * np.arange(grid.nx)
    up = np.radians(np.clip(lats, -_NORTHMOST, _NORTHMOST))
    size = _TILE << _ZOOM
    y = (1 - np.arcsinh(np.tan(up)) / np.pi) / 2 * size
    x = (lons + 180) / 360 * size
    rows = np.clip(y.astype(int), 0, size - 1)
    columns = x.astype(int) % size
    return np.asarray((_relief() == 0)[np.ix_(rows, columns)])


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
