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


# The name in front of each row, in pieces of the size of a text and its comma.
_OPENINGS = [f'{"]" if row else ""},"{kind.name}":['.encode() for row, kind in enumerate(KINDS)]
_OPENING_PIECES = [
    [padded[start : start + _SIZE] for start in range(0, len(padded), _SIZE)]
    for opening in _OPENINGS
    for padded in (opening.ljust(-(-len(opening) // _SIZE) * _SIZE),)
]


class _Texts:
    """The texts of all kinds and openings one after the other, and where those of each begin."""

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
        pieces = [piece[:_WIDTH].decode() for opening in _OPENING_PIECES for piece in opening]
        self.pieces: NDArray[np.intp] = np.arange(len(texts), len(texts) + len(pieces))
        padded = np.array([text.rjust(_WIDTH) for text in (*texts, *pieces)], f"S{_WIDTH}")
        self.texts: NDArray[np.uint32] = padded.view(np.uint32)
        self.offsets: Floats = np.array(offsets, np.float32)
        self.factors: Floats = np.array([[kind.factor] for kind in KINDS], np.float32)


_TEXTS = _Texts()


class Plan(NamedTuple):
    """Where the numbers of several forecasts go in the answer."""

    # The answer without its texts: the byte behind each of them, a comma for most.
    between: NDArray[np.uint8]
    # Where each series is in it.
    ranges: list[tuple[int, int]]
    # Which number each text is of; those behind the last number are pieces of openings.
    order: NDArray[np.intp]
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
    belongs = np.zeros((width, len(forecasts)), np.float32)
    order: list[int] = []
    behind = bytearray()
    ranges: list[tuple[int, int]] = []
    blocks: list[int] = []
    nothing: list[int] = []
    begun: list[int] = []
    first = 0
    for number, columns in enumerate(forecasts):
        wanted = [first + column for span in columns.spans for column in range(*span)]
        belongs[wanted, number] = 1
        rows = len(KINDS) if columns.has_weather else len(_WIND)
        begin = len(order) * _SIZE
        _add_rows(order, behind, wanted, rows, width)
        ranges.append((begin, len(order) * _SIZE))
        blocks += columns.blocks
        for column, step in columns.starts:
            (begun if step else nothing).append(column + first)
        first += columns.calendar.shape[1]
    between = np.full((len(order), _SIZE), ord(" "), np.uint8)
    between[:, _WIDTH] = np.frombuffer(behind, np.uint8)
    return Plan(
        between.reshape(-1),
        ranges,
        np.array(order, np.intp),
        np.arange(len(blocks)).repeat(blocks),
        belongs,
        np.concatenate([columns.calendar for columns in forecasts], axis=1),
        Starts(np.array(nothing, np.intp), np.array(begun, np.intp)),
        _TEXTS.factors.repeat(width, axis=1),
        _TEXTS.offsets.repeat(width, axis=1),
    )


def _add_rows(
    order: list[int], behind: bytearray, columns: list[int], rows: int, width: int
) -> None:
    """Add the texts of a series: each row is an opening and the numbers of its columns."""
    opening = len(KINDS) * width
    for row, pieces in enumerate(_OPENING_PIECES[:rows]):
        order += range(opening, opening + len(pieces))
        behind += bytes(piece[_WIDTH] for piece in pieces)
        opening += len(pieces)
        order += (row * width + column for column in columns)
        behind += b"," * (len(columns) - 1) + b" "


class Rows(NamedTuple):
    """The rows of a series as members of an object, without the last bracket."""

    text: bytes
    # How many values it lacks.
    missing_wind: float
    missing_gust: float


def rows_of(numbers: Floats, plan: Plan) -> Iterator[Rows]:
    """Yield the rows of each series; `numbers` are changed."""
    missing = np.isnan(numbers[:2]).astype(np.float32) @ plan.belongs
    numbers *= plan.factors
    numbers += plan.offsets
    np.rint(numbers, out=numbers)
    # A missing number becomes 0 or the lowest integer, depending on the processor; the mode of
    # `take` makes it 0.
    with np.errstate(invalid="ignore"):
        places = numbers.astype(np.intp)
    texts = _TEXTS.texts.take(
        np.concatenate((places.reshape(-1), _TEXTS.pieces)).take(plan.order), mode="clip"
    )
    written = plan.between.copy()
    np.ndarray(texts.size, np.uint32, written.data, strides=(_SIZE,))[:] = texts
    # Without the spaces around numbers, which would make a compressed answer larger.
    bytes_of = written.tobytes()
    for (start, end), wind, gust in zip(plan.ranges, *missing.tolist(), strict=True):
        yield Rows(bytes_of[start:end].translate(None, b" "), wind, gust)
