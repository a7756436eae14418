"""Land and sea: interpolation near a coast between points of one of them only."""

import mmap
from pathlib import Path
from typing import Literal

import numpy as np

from quartet.wind.grid.arrays import Floats
from quartet.wind.grid.geometry import Corners, PlainCorners
from quartet.wind.grid.writing import replacing

Surface = Literal["sea", "land"]

# A point counts as land from this percentage on.
_LAND_PERCENT = 50
# Neither land nor sea, because the model says nothing about the point.
UNKNOWN = 255


class LandMask:
    """The percentage of land at each point of a grid, a byte each, memory-mapped.

    Raises ValueError if the file does not have this number of points.
    """

    def __init__(self, path: Path, points: int) -> None:
        with path.open("rb") as file:
            self._percent = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        if len(self._percent) != points:
            raise ValueError(f"{path} does not fit its grid")

    def is_coast(self, points: tuple[int, int, int, int]) -> bool:
        """Return whether there is both land and sea among these points."""
        a, b, c, d = points
        percent = self._percent
        first = percent[a]
        # Most places are on land or at sea on all sides.
        if first == percent[b] == percent[c] == percent[d]:
            return False
        around = (first, percent[b], percent[c], percent[d])
        return min(around) < _LAND_PERCENT <= max(around) != UNKNOWN

    def restrict(self, corners: PlainCorners, surface: Surface) -> Corners:
        """Weigh the points of one surface only; without any, nothing changes."""
        points, given = corners
        weights = [
            weight if weight > 0 and self._kind(point) == surface else 0.0
            for point, weight in zip(points, given, strict=True)
        ]
        total = sum(weights)
        if not total:
            return Corners(*corners)
        # A point without weight is replaced: it may have no value.
        heaviest = points[weights.index(max(weights))]
        a, b, c, d = (
            (point if weight else heaviest, weight / total)
            for point, weight in zip(points, weights, strict=True)
        )
        return Corners((a[0], b[0], c[0], d[0]), (a[1], b[1], c[1], d[1]))

    def _kind(self, point: int) -> Surface | None:
        percent = self._percent[point]
        if percent == UNKNOWN:
            return None
        return "land" if percent >= _LAND_PERCENT else "sea"


def open_land(path: Path, points: int) -> LandMask | None:
    """Open the mask of a grid; None if it is missing or damaged."""
    try:
        return LandMask(path, points)
    except (OSError, ValueError):
        return None


def write_land(path: Path, fractions: Floats) -> None:
    """Write a mask from fractions of land, NaN if unknown; it appears when it is complete."""
    percent = np.clip(np.rint(fractions * 100), 0, 100)
    with replacing(path, ".land-part") as part:
        part.write_bytes(np.where(np.isnan(percent), UNKNOWN, percent).astype(np.uint8).tobytes())
