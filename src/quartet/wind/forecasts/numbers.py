"""The numbers of an answer, from the stored ones of all corners to the texts of its rows."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quartet.wind.forecasts.rows import (
    BITS,
    CHANNELS_ONLY,
    END,
    KINDS,
    OPENING_PIECES,
    PLACES,
    ROWS,
    SIZE,
    TEXTS,
    TO_BITS,
    WIDTH,
    WIND,
)
from quartet.wind.grid.arrays import Floats, Int16s
from quartet.wind.grid.forecast import Columns
from quartet.wind.grid.layout import CHANNELS, NO_DATA, STEPS_PER_BLOCK
from quartet.wind.grid.reading import mixed_rows

_CORNER_NUMBERS = (4, len(CHANNELS) * STEPS_PER_BLOCK)
# The block behind those of the forecasts; see `Plan`.
_CONSTANTS: Int16s = np.array([0] + [NO_DATA] * (STEPS_PER_BLOCK - 1), np.int16)
_CONSTANTS = np.tile(_CONSTANTS, len(CHANNELS))
_MISSING = np.int16(NO_DATA)
# Patterns of missing numbers that are kept for each plan.
_MOST_PATTERNS = 4


class Gaps(NamedTuple):
    """Where numbers are missing: 0 or NaN for each, and how many each series lacks."""

    numbers: Floats
    wind: list[float]
    gust: list[float]


class Plan(NamedTuple):
    """Where the numbers of several forecasts go in the answer.

    Behind the blocks of the last forecast is another one, of constants: in its first column all
    numbers are 0, in the others they are missing.
    """

    # The answer without its texts: the byte behind each of them, a comma for most.
    between: bytes
    # Which number each text is of; those behind the last number are pieces of openings.
    order: NDArray[np.intp]
    # The blocks of each part, all parts numbered through, and the part of each block.
    spans: list[tuple[int, int]]
    part_of_block: NDArray[np.intp]
    # A row for each column, with a 1 for the series it belongs to.
    belongs: Floats
    calendar: Floats
    # The column from which the precipitation of each column is subtracted.
    before: NDArray[np.intp]
    # For every number, because numpy is slow where it has to repeat them.
    factors: Floats
    offsets: Floats
    # The last patterns of missing numbers, as the bytes of a mask over those of all corners.
    gaps: list[tuple[bytes, Gaps]]
    # Arrays of finished answers: new ones would not be in the cache of the processor.
    spare: "list[Numbers]"


@lru_cache(maxsize=16)
def plan_of(forecasts: tuple[Columns, ...]) -> Plan:
    """Plan the answer for these forecasts; places nearby have the same."""
    blocks = [count for columns in forecasts for count in columns.blocks]
    ends = np.cumsum(blocks).tolist()
    zero = ends[-1] * STEPS_PER_BLOCK
    width = zero + STEPS_PER_BLOCK
    belongs = np.zeros((width, len(forecasts)), np.float32)
    calendar = np.zeros((4, width), np.float32)
    before = np.arange(width) - 1
    order: list[int] = []
    behind = bytearray()
    first = 0
    for number, columns in enumerate(forecasts):
        wanted = [first + column for span in columns.spans for column in range(*span)]
        belongs[wanted, number] = 1
        rows = len(KINDS) if columns.has_weather else len(WIND)
        _add_rows(order, behind, wanted, rows, width)
        for column, step in columns.starts:
            # Nothing is known about the time before step 0.
            before[first + column] = zero if step else zero + 1
        end = first + columns.calendar.shape[1]
        calendar[:, first:end] = columns.calendar
        first = end
    between = np.full((len(order), SIZE), ord(" "), np.uint8)
    between[:, WIDTH] = np.frombuffer(behind, np.uint8)
    return Plan(
        between.tobytes(),
        np.array(order, np.intp),
        list(zip([0, *ends], ends, strict=False)),
        np.append(np.arange(len(blocks)).repeat(blocks), 0),
        belongs,
        calendar,
        before,
        TEXTS.factors.repeat(width, axis=1),
        TEXTS.offsets.repeat(width, axis=1),
        [],
        [],
    )


def _add_rows(
    order: list[int], behind: bytearray, columns: list[int], rows: int, width: int
) -> None:
    """Add the texts of a series: each row is an opening and the numbers of its columns."""
    opening = ROWS * width
    for row, pieces in enumerate(OPENING_PIECES[:rows]):
        order += range(opening, opening + len(pieces))
        behind += bytes(piece[WIDTH] for piece in pieces)
        opening += len(pieces)
        start = (CHANNELS_ONLY + PLACES[row]) * width
        order += (start + column for column in columns)
        behind += b"," * (len(columns) - 1) + b" "
    behind[-1:] = END


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
