"""Look up rows of numbers as JSON texts instead of formatting them.

There are only some thousand different speeds, temperatures and so on. Formatting lists of floats
would take longer than reading, interpolating and sending them.
"""

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quartet.wind.grid.arrays import Floats
from quartet.wind.grid.forecast import Columns
from quartet.wind.grid.layout import PRECIPITATION_UNIT, STEPS_PER_BLOCK, WIND_CHANNELS
from quartet.wind.grid.weather import SYMBOLS

if TYPE_CHECKING:
    from quartet.wind.forecasts.numbers import Numbers

# Texts have the same width, so that the position of every number is known. Numpy moves four bytes
# at once several times faster than five.
_WIDTH = 4
# A text and the comma behind it.
SIZE = _WIDTH + 1
# A float this large has no fraction. Adding it rounds a number, whose integer then is in the lowest
# bits. Numbers that are missing become integers far out of range, without a warning.
TO_BITS = np.float32(3 << 22)
BITS = int(TO_BITS.view(np.int32))
# The byte behind a series, where the answer is split.
END = b"\n"
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
WIND = (
    Kind("wind", _SPEEDS, factor=10),
    # Of half knots.
    Kind("gust", _SPEEDS, factor=5),
    # From radians, in which the wind of opposite direction is 0. In steps of 5 degrees, and clouds
    # in steps of 5 %: a forecast is not more exact, and the answer stays small.
    Kind("direction", [str(5 * each % 360) for each in range(73)], -36, 36 / np.pi),
)
KINDS = (
    *WIND,
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


# In memory the rows of the wind, which are computed from the first channels, are behind the others,
# which replace their channels.
_IN_MEMORY = (*KINDS[len(WIND) :], *WIND)
_PLACES = [_IN_MEMORY.index(kind) for kind in KINDS]
# The first channels, which are no rows of the answer, are in front of them.
CHANNELS_ONLY = len(WIND_CHANNELS)
ROWS = CHANNELS_ONLY + len(KINDS)

# The name in front of each row, in pieces of the size of a text and its comma.
_OPENINGS = [f'{"]" if row else ""},"{kind.name}":['.encode() for row, kind in enumerate(KINDS)]
_OPENING_PIECES = [
    [padded[start : start + SIZE] for start in range(0, len(padded), SIZE)]
    for opening in _OPENINGS
    for padded in (opening.ljust(-(-len(opening) // SIZE) * SIZE),)
]


class _Texts:
    """The texts of all kinds and openings one after the other, and where those of each begin."""

    def __init__(self) -> None:
        # First and last, so that numbers that are out of range on either side are missing ones.
        texts = ["null"]
        starts: dict[int, int] = {}
        offsets: dict[str, list[int]] = {}
        for kind in KINDS:
            # Wind and gust share their texts.
            start = starts.setdefault(id(kind.texts), len(texts))
            if start == len(texts):
                texts += kind.texts
            offsets[kind.name] = [start - kind.lowest]
        pieces = [piece[:_WIDTH].decode() for opening in _OPENING_PIECES for piece in opening]
        self.pieces: Floats = np.arange(len(texts), len(texts) + len(pieces), dtype=np.float32)
        self.pieces += TO_BITS
        padded = np.array([text.rjust(_WIDTH) for text in (*texts, *pieces, "null")], f"S{_WIDTH}")
        self.texts: NDArray[np.uint32] = padded.view(np.uint32)
        self.offsets: Floats = np.array([offsets[kind.name] for kind in _IN_MEMORY], np.float32)
        self.factors: Floats = np.array([[kind.factor] for kind in _IN_MEMORY], np.float32)


TEXTS = _Texts()


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
    between[:, _WIDTH] = np.frombuffer(behind, np.uint8)
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
    for row, pieces in enumerate(_OPENING_PIECES[:rows]):
        order += range(opening, opening + len(pieces))
        behind += bytes(piece[_WIDTH] for piece in pieces)
        opening += len(pieces)
        start = (CHANNELS_ONLY + _PLACES[row]) * width
        order += (start + column for column in columns)
        behind += b"," * (len(columns) - 1) + b" "
    behind[-1:] = END
