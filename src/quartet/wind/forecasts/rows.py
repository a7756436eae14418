"""Look up rows of numbers as JSON texts instead of formatting them.

There are only some thousand different speeds, temperatures and so on. Formatting lists of floats
would take longer than reading, interpolating and sending them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quartet.wind.grid.arrays import Floats
from quartet.wind.grid.layout import PRECIPITATION_UNIT, WIND_CHANNELS
from quartet.wind.grid.weather import SYMBOLS

# Texts have the same width, so that the position of every number is known. Numpy moves four bytes
# at once several times faster than five.
WIDTH = 4
# A text and the comma behind it.
SIZE = WIDTH + 1
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
PLACES = [_IN_MEMORY.index(kind) for kind in KINDS]
# The first channels, which are no rows of the answer, are in front of them.
CHANNELS_ONLY = len(WIND_CHANNELS)
ROWS = CHANNELS_ONLY + len(KINDS)

# The name in front of each row, in pieces of the size of a text and its comma.
_OPENINGS = [f'{"]" if row else ""},"{kind.name}":['.encode() for row, kind in enumerate(KINDS)]
OPENING_PIECES = [
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
        pieces = [piece[:WIDTH].decode() for opening in OPENING_PIECES for piece in opening]
        self.pieces: Floats = np.arange(len(texts), len(texts) + len(pieces), dtype=np.float32)
        self.pieces += TO_BITS
        padded = np.array([text.rjust(WIDTH) for text in (*texts, *pieces, "null")], f"S{WIDTH}")
        self.texts: NDArray[np.uint32] = padded.view(np.uint32)
        self.offsets: Floats = np.array([offsets[kind.name] for kind in _IN_MEMORY], np.float32)
        self.factors: Floats = np.array([[kind.factor] for kind in _IN_MEMORY], np.float32)


TEXTS = _Texts()
