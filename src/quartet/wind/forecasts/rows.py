"""Rows of numbers as JSON, looked up instead of written.

There are only some thousand different speeds and 360 directions. Through lists of floats the
numbers of one answer would take longer than to read, interpolate and send them.
"""

import numpy as np
from msgspec import Raw
from numpy.typing import NDArray

from quartet.wind.grid.arrays import Floats

# Tenths of a knot; stored components end at 327 knots each.
_FASTEST = 4700
_SPEED_WIDTH, _DIRECTION_WIDTH = 6, 5


def _table(texts: list[str], width: int) -> NDArray[np.bytes_]:
    """Of one width, so that the place of every number is known; the last one is for nothing."""
    padded = [f"{text:>{width - 1}}," for text in [*texts, "null"]]
    return np.array(padded, f"S{width}")


_SPEEDS = _table([str(tenths / 10) for tenths in range(_FASTEST)], _SPEED_WIDTH)
_DIRECTIONS = _table([str(degrees % 360) for degrees in range(361)], _DIRECTION_WIDTH)


class Row:
    """Numbers of several series, one after the other."""

    def __init__(self, numbers: Floats, *, speeds: bool) -> None:
        table = _SPEEDS if speeds else _DIRECTIONS
        self._width = _SPEED_WIDTH if speeds else _DIRECTION_WIDTH
        missing = np.isnan(numbers)
        self._missing = missing if missing.any() else None
        if self._missing is not None:
            numbers = np.where(missing, len(table) - 1, numbers)
        self._json = table.take(numbers.astype(np.intp), mode="clip").tobytes()

    def part(self, start: int, end: int) -> Raw:
        """A JSON array, without the comma behind its last number."""
        return Raw(b"[%b]" % self._json[start * self._width : end * self._width - 1])

    def missing(self, start: int, end: int) -> int:
        if self._missing is None:
            return 0
        return int(np.count_nonzero(self._missing[start:end]))
