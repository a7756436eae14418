"""Makes the small relief that comes along, of heights five arc minutes apart.

`python -m quartet.wind.basemap.relief altitude.npy` writes the archive to where the service looks
for it. The numbers are those of the file `Altitude.h5` in the package `pvlib`, which come from the
terrain tiles Mapzen put together of public surveys, as one array of bytes: steps of 28 metres from
450 metres below the sea on, 255 for the sea, north first.
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
from quartet.wind.basemap.png import write_png
from quartet.wind.basemap.service import BUILT_IN, RELIEF
from quartet.wind.basemap.writing import About, write_archive
from quartet.wind.grid.arrays import Floats

# Finer tiles would be larger than all else that comes along.
MAX_ZOOM = 3
TILE = 256
_STEP, _LOWEST, _SEA = 28, -450, 255
_PER_DEGREE = 12
# Terraces of 28 metres would be seen as such.
_BLUR = 0.8
_ROUNDED = 8
_NORTHMOST = 85.05113

_ABOUT = About(
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
    return write_archive(tiles, _ABOUT._replace(max_zoom=max_zoom))


def metres(stored: NDArray[np.uint8]) -> Floats:
    """The sea is flat."""
    heights = np.where(stored == _SEA, 0, stored.astype(np.float32) * _STEP + _LOWEST)
    blurred = gaussian_filter(heights.astype(np.float32), _BLUR, mode=("nearest", "wrap"))
    return np.where(stored == _SEA, np.float32(0), blurred)


def sampled(heights: Floats, z: int, x: int, y: int) -> Floats:
    """Of a tile, at the middle of each pixel."""
    pixels = (np.arange(TILE) + 0.5) / TILE
    lons = (x + pixels) / (1 << z) * 360 - 180
    lats = [degrees(atan(sinh(pi * (1 - 2 * (y + pixel) / (1 << z))))) for pixel in pixels]
    rows = (90 - np.array(lats)) * _PER_DEGREE - 0.5
    columns = (lons + 180) * _PER_DEGREE - 0.5
    places = np.meshgrid(rows, columns, indexing="ij")
    return np.asarray(map_coordinates(heights, places, order=1, mode="nearest"), np.float32)


def terrarium(heights: Floats) -> bytes:
    """Rounded a little: the source does not know it better, and the file is half as large."""
    told = (np.rint(heights / _ROUNDED) * _ROUNDED).astype(np.int32) + 32768
    pixels = np.zeros((*heights.shape, 3), np.uint8)
    pixels[..., 0], pixels[..., 1] = told >> 8, told & 255
    return write_png(pixels, lambda rows: zlib.compress(rows.tobytes(), 9))


if __name__ == "__main__":
    target = Path(sys.argv[2]) if len(sys.argv) > 2 else BUILT_IN / RELIEF
    write_atomic(Root(target.parent), target.name, build(Path(sys.argv[1])))
