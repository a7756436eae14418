"""Look up rows of numbers as JSON texts instead of formatting them.

There are only a few thousand different speeds and 360 directions. Formatting lists of floats would
take longer than reading, interpolating and sending them.
"""

import numpy as np
from numpy.typing import NDArray

from quartet.wind.grid.arrays import Floats

# Ranges of columns; the end is exclusive.
Spans = list[tuple[int, int]]

# Tenths of a knot; each stored component is below 327 knots.
_FASTEST = 4700


class Table:
    """Texts of equal width, so that the position of every number is known; the last one is null."""

    def __init__(self, texts: list[str], width: int) -> None:
        padded = [f"{text:>{width - 1}}," for text in [*texts, "null"]]
        self._texts: NDArray[np.bytes_] = np.array(padded, f"S{width}")
        self.width = width

    def json(self, numbers: Floats) -> memoryview:
        """Return the texts one after the other, each followed by a comma."""
        texts = self._texts.take(numbers.astype(np.intp).ravel(), mode="clip")
        return texts.view(np.uint8).data

    @property
    def nothing(self) -> int:
        return len(self._texts) - 1


SPEEDS = Table([str(tenths / 10) for tenths in range(_FASTEST)], 6)
DIRECTIONS = Table([str(degrees % 360) for degrees in range(361)], 5)


class Rows:
    """Wind, gust and direction of several series, one after the other."""

    def __init__(self, numbers: Floats, *, gaps: bool) -> None:
        missing = np.isnan(numbers) if gaps else None
        self._no_wind = self._no_gust = None
        if missing is not None:
            self._no_wind, self._no_gust = missing[0], missing[1]
            numbers = np.where(missing, _NOTHING, numbers)
        self._gusts_from = numbers.shape[1] * SPEEDS.width
        self._speeds = SPEEDS.json(numbers[:2])
        self._directions = DIRECTIONS.json(numbers[2])

    def json(self, spans: Spans) -> list[bytes | memoryview]:
        """Return the members of an object for these columns, to be joined by the caller."""
        parts: list[bytes | memoryview] = [b',"wind":[']
        parts += _columns(self._speeds, spans, SPEEDS.width)
        parts.append(b'],"gust":[')
        parts += _columns(self._speeds[self._gusts_from :], spans, SPEEDS.width)
        parts.append(b'],"direction":[')
        parts += _columns(self._directions, spans, DIRECTIONS.width)
        parts.append(b"]")
        return parts

    def missing_wind(self, spans: Spans) -> int:
        return _count(self._no_wind, spans)

    def missing_gust(self, spans: Spans) -> int:
        return _count(self._no_gust, spans)


def _columns(texts: memoryview, spans: Spans, width: int) -> list[memoryview]:
    """Return the texts of these columns; every number but the last is followed by a comma."""
    parts = [texts[start * width : end * width] for start, end in spans]
    parts[-1] = parts[-1][:-1]
    return parts


def _count(missing: NDArray[np.bool_] | None, spans: Spans) -> int:
    if missing is None:
        return 0
    return sum(int(np.count_nonzero(missing[start:end])) for start, end in spans)


_NOTHING = np.array([[SPEEDS.nothing], [SPEEDS.nothing], [DIRECTIONS.nothing]], np.float32)
