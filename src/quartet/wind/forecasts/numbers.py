"""The numbers of an answer, from the stored ones of all corners to the texts of its rows."""

import numpy as np
from numpy.typing import NDArray

from quartet.wind.forecasts.rows import (
    BITS,
    CHANNELS_ONLY,
    END,
    ROWS,
    SIZE,
    TEXTS,
    TO_BITS,
    WIND,
    Gaps,
    Plan,
)
from quartet.wind.grid.arrays import Floats, Int16s
from quartet.wind.grid.layout import CHANNELS, NO_DATA, STEPS_PER_BLOCK
from quartet.wind.grid.reading import mixed_rows

_CORNER_NUMBERS = (4, len(CHANNELS) * STEPS_PER_BLOCK)
# The block behind those of the forecasts; see `Plan`.
_CONSTANTS: Int16s = np.array([0] + [NO_DATA] * (STEPS_PER_BLOCK - 1), np.int16)
_CONSTANTS = np.tile(_CONSTANTS, len(CHANNELS))
_MISSING = np.int16(NO_DATA)
# Patterns of missing numbers that are kept for each plan.
_MOST_PATTERNS = 4


class Numbers:
    """Arrays for the numbers of an answer, a column for each column of the plan.

    `corners` are the stored numbers of all corners. `stored` are the interpolated channels; those
    of the weather are rows of the answer, and `symbols` and `wind` are its other rows.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        width = plan.factors.shape[1]
        self._all: Floats = np.empty(ROWS * width + TEXTS.pieces.size, np.float32)
        self._all[ROWS * width :] = TEXTS.pieces
        rows = self._all[: ROWS * width].reshape(ROWS, width)
        corners: Int16s = np.empty((len(plan.part_of_block), *_CORNER_NUMBERS), np.int16)
        corners[-1] = _CONSTANTS
        # All parts of these arrays are made once, because slicing costs as much as computing.
        self.corners = corners
        self.parts: list[Int16s] = [corners[start:end] for start, end in plan.spans]
        self.stored: Floats = rows[: len(CHANNELS)]
        self.wind_channels: Floats = rows[:CHANNELS_ONLY]
        self.weather: Floats = rows[CHANNELS_ONLY : len(CHANNELS)]
        self.symbols: Floats = rows[len(CHANNELS)]
        self.wind: Floats = rows[-len(WIND) :]
        self.speed, self.gust = self.wind[0], self.wind[1]
        self._blocks: Floats = self.stored.reshape(len(CHANNELS), -1, STEPS_PER_BLOCK)
        self._rows: Floats = rows[CHANNELS_ONLY:]
        self._bits = self._all.view(np.int32)
        self._floats: Floats = np.empty(corners.shape, np.float32)
        self._mask: NDArray[np.bool_] = np.empty(corners.shape, np.bool_)

    def interpolate(self, weights: Floats) -> Gaps:
        """Interpolate the corners into `stored`; the weights are those of each block."""
        gaps = self._gaps()
        self._floats[:] = self.corners
        self._blocks[:] = mixed_rows(self._floats, weights)
        np.add(self.stored, gaps.numbers, out=self.stored)
        return gaps

    def _gaps(self) -> Gaps:
        """Look up what is missing: it is nearly always what the last answers lacked."""
        np.equal(self.corners, _MISSING, out=self._mask)
        pattern = self._mask.tobytes()
        known = self._plan.gaps
        # Comparing patterns is several times faster than hashing them.
        found = next((gaps for each, gaps in known if each == pattern), None)
        if found is None:
            found = self._new_gaps()
            known.insert(0, (pattern, found))
            del known[_MOST_PATTERNS:]
        return found

    def _new_gaps(self) -> Gaps:
        blocks = self._mask.any(axis=1).reshape(-1, len(CHANNELS), STEPS_PER_BLOCK)
        lacks = blocks.swapaxes(0, 1).reshape(len(CHANNELS), -1)
        wind = lacks[0] | lacks[1]
        # A gust is never below the wind, which has to be known.
        each = np.array([wind, wind | lacks[2]], np.float32) @ self._plan.belongs
        numbers = np.where(lacks, np.float32(np.nan), np.float32(0))
        return Gaps(numbers, *each.tolist())

    def texts(self) -> list[memoryview]:
        """Return the rows of each series as members of an object, without the last bracket.

        The numbers are changed.
        """
        rows, plan = self._rows, self._plan
        rows *= plan.factors
        rows += plan.offsets
        rows += TO_BITS
        # Half knots are tenths like those of the wind, of which a gust has at least as many.
        np.maximum(self.gust, self.speed, out=self.gust)
        places = self._bits.take(plan.order, mode="clip")
        places -= BITS
        texts = TEXTS.texts.take(places, mode="clip")
        written = bytearray(plan.between)
        np.ndarray(texts.size, np.uint32, written, strides=(SIZE,))[:] = texts
        # Without the spaces around numbers, which would make a compressed answer larger.
        return _split(written.translate(None, b" "))


def _split(series: bytearray) -> list[memoryview]:
    """Split without copying, and without looking at each byte as `bytes.split` does."""
    parts = []
    start, view = 0, memoryview(series)
    while (end := series.find(END, start)) >= 0:
        parts.append(view[start:end])
        start = end + 1
    return parts
