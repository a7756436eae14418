"""Builds the bundled relief from heights at five arc minutes.

`python -m quartet.wind.basemap.relief altitude.npy` writes the archive to its place in the
package. The input is the array of `Altitude.h5` in the package `pvlib`, derived from Mapzen's
terrain tiles of public surveys: bytes in steps of 28 metres from 450 metres below sea level, 255
for the sea, north first.
"""

import sys
import zlib
from math import atan, degrees, pi, sinh
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import (  # type: ignore[import-untyped]
    gaussian_filter,
    map_coordinates,
)

from quartet.kernel.files import Root, write_atomic
from quartet.wind.basemap.archive_writer import ArchiveInfo, write_archive
from quartet.wind.basemap.png import write_png
from quartet.wind.basemap.service import BUILT_IN, RELIEF
from quartet.wind.grid.arrays import Floats

# A higher zoom level would make the relief the largest file of the package.
MAX_ZOOM = 3
TILE = 256
_STEP, _LOWEST, _SEA = 28, -450, 255
_PER_DEGREE = 12
# Smooths the visible terraces of 28 metres.
_BLUR = 0.8
_ROUNDED = 8
_NORTHMOST = 85.05113

_INFO = ArchiveInfo(
    bounds=(-180.0, -_NORTHMOST, 180.0, _NORTHMOST),
    min_zoom=0,
    max_zoom=MAX_ZOOM,
    metadata={
        "name": "Relief",
        "attribution": "Terrain Tiles: USGS, NOAA and others",
        "encoding": "terrarium",
    },
    tiles="png",
)


def build(source: Path, max_zoom: int = MAX_ZOOM) -> bytes:
    heights = metres(np.load(source))
    tiles = {
        (z, x, y): terrarium(sampled(heights, z, x, y))
        for z in range(max_zoom + 1)
        for x in range(1 << z)
        for y in range(1 << z)
    }
    return write_archive(tiles, _INFO._replace(max_zoom=max_zoom))


def metres(stored: NDArray[np.uint8]) -> Floats:
    """Return heights in metres, with the sea at 0."""
    heights = np.where(stored == _SEA, 0, stored.astype(np.float32) * _STEP + _LOWEST)
    blurred = gaussian_filter(heights.astype(np.float32), _BLUR, mode=("nearest", "wrap"))
    return np.where(stored == _SEA, np.float32(0), blurred)


def sampled(heights: Floats, z: int, x: int, y: int) -> Floats:
    """Return the heights of a tile at the centres of its pixels."""
    pixels = (np.arange(TILE) + 0.5) / TILE
    lons = (x + pixels) / (1 << z) * 360 - 180
    lats = [degrees(atan(sinh(pi * (1 - 2 * (y + pixel) / (1 << z))))) for pixel in pixels]
    rows = (90 - np.array(lats)) * _PER_DEGREE - 0.5
    columns = (lons + 180) * _PER_DEGREE - 0.5
    places = np.meshgrid(rows, columns, indexing="ij")
    return np.asarray(map_coordinates(heights, places, order=1, mode="nearest"), np.float32)


def terrarium(heights: Floats) -> bytes:
    """Encode heights; rounding to the source's accuracy halves the file."""
    values = (np.rint(heights / _ROUNDED) * _ROUNDED).astype(np.int32) + 32768
    pixels = np.zeros((*heights.shape, 3), np.uint8)
    pixels[..., 0], pixels[..., 1] = values >> 8, values & 255
    return write_png(pixels, lambda rows: zlib.compress(rows.tobytes(), 9))


if __name__ == "__main__":
    target = Path(sys.argv[2]) if len(sys.argv) > 2 else BUILT_IN / RELIEF
    write_atomic(Root(target.parent), target.name, build(Path(sys.argv[1])))
