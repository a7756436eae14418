"""Look up rows of numbers as JSON texts instead of formatting them.

There are only some thousand different speeds, temperatures and so on. Formatting lists of floats
would take longer than reading, interpolating and sending them.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quartet.wind.grid.arrays import Floats
from quartet.wind.grid.forecast import Columns
from quartet.wind.grid.layout import PRECIPITATION_UNIT
from quartet.wind.grid.weather import SYMBOLS, Starts

# Texts have the same width, so that the position of every number is known. Numpy moves four bytes
# at once several times faster than five.
_WIDTH = 4
# A text and the comma behind it.
_SIZE = _WIDTH + 1
_NULL = 0
# What a stored number can be at most, in its own unit.
_MOST = 328


class Kind(NamedTuple):
    """The texts of a row of the answer; the first one is that of the number `lowest`.

    A number is the interpolated one times `factor`, rounded.
    """

    name: str
    texts: list[str]
    lowest: int = 0
    factor: float = 1.0


def _tenths(highest: int) -> list[str]:
    """Return the texts of 0 to `highest` tenths; tenths of large numbers mean nothing."""
    return [str(n / 10) if n % 10 and n < 1000 else str(round(n / 10)) for n in range(highest)]


# Each component of the wind is below 328 knots.
_SPEEDS = _tenths(4700)
_WIND = (
    Kind("wind", _SPEEDS, factor=10),
    Kind("gust", _SPEEDS, factor=10),
    # From radians, in which the wind of opposite direction is 0. In steps of 5 degrees, and clouds
    # in steps of 5 %: a forecast is not more exact, and the answer stays small.
    Kind("direction", [str(5 * each % 360) for each in range(73)], -36, 36 / np.pi),
)
KINDS = (
    *_WIND,
    Kind("temperature", [str(degrees) for degrees in range(-_MOST, _MOST)], -_MOST),
    # No step has a metre of rain.
    Kind(
        "precipitation",
        [min(text, "999", key=float) for text in _tenths(50 * _MOST)],
        factor=10 * PRECIPITATION_UNIT,
    ),
    Kind("cloud", [str(5 * twentieths) for twentieths in range(21)], factor=0.2),
    Kind("pressure", [str(1000 + above) for above in range(-_MOST, _MOST)], -_MOST),
    Kind("symbol", [str(symbol) for symbol in SYMBOLS]),
)


class _Texts:
    """The texts of all kinds one after the other, and where those of each kind begin."""

    def __init__(self) -> None:
        # First, so that 0 stands for a missing number.
        texts = ["null"]
        starts: dict[int, int] = {}
        offsets = []
        for kind in KINDS:
            # Wind and gust share their texts.
            start = starts.setdefault(id(kind.texts), len(texts))
            if start == len(texts):
                texts += kind.texts
            offsets.append([start - kind.lowest])
        padded = np.array([text.rjust(_WIDTH) for text in texts], f"S{_WIDTH}")
        self.texts: NDArray[np.uint32] = padded.view(np.uint32)
        self.offsets: Floats = np.array(offsets, np.float32)
        self.factors: Floats = np.array([[kind.factor] for kind in KINDS], np.float32)


_TEXTS = _Texts()
_OPENINGS = [f'{"]" if row else ""},"{kind.name}":['.encode() for row, kind in enumerate(KINDS)]


class Plan(NamedTuple):
    """Where the numbers of several forecasts go in the answer."""

    # The answer without its numbers: a comma behind each, except for the last one of a series.
    commas: NDArray[np.uint8]
    # For each series the numbers in it, and the text in front of each of these pieces.
    pieces: list[list[slice]]
    openings: list[list[bytes]]
    # The part that each block belongs to, all parts numbered through.
    part_of_block: NDArray[np.intp]
    # A row for each column, with a 1 for the series it belongs to.
    belongs: Floats
    calendar: Floats
    starts: Starts
    # For every number, because numpy is slow where it has to repeat them.
    factors: Floats
    offsets: Floats


@lru_cache(maxsize=32)
def plan_of(forecasts: tuple[Columns, ...]) -> Plan:
    """Plan the answer for these forecasts; places nearby have the same."""
    width = sum(each.calendar.shape[1] for each in forecasts)
    commas = np.full((len(KINDS), width, _SIZE), ord(","), np.uint8)
    belongs = np.zeros((width, len(forecasts)), np.float32)
    pieces: list[list[slice]] = []
    openings: list[list[bytes]] = []
    blocks: list[int] = []
    nothing: list[int] = []
    begun: list[int] = []
    first = 0
    for number, columns in enumerate(forecasts):
        spans = [slice(first + start, first + end) for start, end in columns.spans]
        commas[:, spans[-1].stop - 1] = ord(" ")
        for span in spans:
            belongs[span, number] = 1
        rows = len(KINDS) if columns.has_weather else len(_WIND)
        pieces.append([_bytes_of(row * width, span) for row in range(rows) for span in spans])
        # A second part of a row, of an older run, has nothing in front of it.
        nothing_between = [b""] * (len(spans) - 1)
        openings.append(
            [text for row in range(rows) for text in (_OPENINGS[row], *nothing_between)]
        )
        blocks += columns.blocks
        for column, step in columns.starts:
            (begun if step else nothing).append(column + first)
        first += columns.calendar.shape[1]
    return Plan(
        commas.reshape(-1),
        pieces,
        openings,
        np.arange(len(blocks)).repeat(blocks),
        belongs,
        np.concatenate([columns.calendar for columns in forecasts], axis=1),
        Starts(np.array(nothing, np.intp), np.array(begun, np.intp)),
        _TEXTS.factors.repeat(width, axis=1),
        _TEXTS.offsets.repeat(width, axis=1),
    )


def _bytes_of(before: int, span: slice) -> slice:
    return slice(_SIZE * (before + span.start), _SIZE * (before + span.stop))


class Rows(NamedTuple):
    """The rows of a series as members of an object, without the last bracket."""

    texts: list[bytes | memoryview]
    # How many values it lacks.
    missing_wind: float
    missing_gust: float


def rows_of(numbers: Floats, plan: Plan) -> Iterator[Rows]:
    """Yield the rows of each series; `numbers` are changed."""
    numbers *= plan.factors
    numbers += plan.offsets
    np.rint(numbers, out=numbers)
    missing = np.isnan(numbers)
    np.copyto(numbers, _NULL, where=missing)
    written = plan.commas.copy()
    places = np.ndarray(numbers.size, np.uint32, written.data, strides=(_SIZE,))
    places[:] = _TEXTS.texts.take(numbers.astype(np.intp).ravel(), mode="clip")
    texts = written.data
    counts = (missing[:2].astype(np.float32) @ plan.belongs).tolist()
    for openings, pieces, wind, gust in zip(plan.openings, plan.pieces, *counts, strict=True):
        parts: list[bytes | memoryview] = [b""] * (2 * len(pieces))
        parts[::2] = openings
        parts[1::2] = map(texts.__getitem__, pieces)
        yield Rows(parts, wind, gust)
