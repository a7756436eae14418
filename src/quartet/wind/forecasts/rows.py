"""Look up rows of numbers as JSON texts instead of formatting them.

There are only some thousand different speeds, temperatures and so on. Formatting lists of floats
would take longer than reading, interpolating and sending them.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quartet.wind.grid.arrays import Floats
from quartet.wind.grid.forecast import Columns
from quartet.wind.grid.weather import SYMBOLS, Starts

# Texts have the same width, so that the position of every number is known.
_WIDTH = 6
# What a stored number can be at most, in its own unit.
_MOST = 328


class Kind(NamedTuple):
    """The texts of a row of the answer; the first one is that of the number `lowest`."""

    name: str
    texts: list[str]
    lowest: int = 0


def _tenths(lowest: int, highest: int) -> list[str]:
    return [str(number / 10) for number in range(lowest, highest)]


# Each component of the wind is below 328 knots.
_SPEEDS = _tenths(0, 4700)
_WIND = (
    Kind("wind", _SPEEDS),
    Kind("gust", _SPEEDS),
    Kind("direction", [str(degrees % 360) for degrees in range(361)]),
)
KINDS = (
    *_WIND,
    Kind("temperature", [str(degrees) for degrees in range(-_MOST, _MOST)], -_MOST),
    # No step has a metre of rain.
    Kind("precipitation", [min(text, "999.9", key=float) for text in _tenths(0, 50 * _MOST)]),
    # In steps of 5 %: a forecast is not more exact, and the answer stays small.
    Kind("cloud", [str(5 * twentieths) for twentieths in range(21)]),
    Kind("pressure", [str(1000 + above) for above in range(-_MOST, _MOST)], 1000 - _MOST),
    Kind("symbol", [str(symbol) for symbol in SYMBOLS]),
)


class _Texts:
    """All texts one after the other: followed by a comma, by a space, and those between rows."""

    def __init__(self) -> None:
        texts: list[str] = []
        starts: dict[int, int] = {}
        offsets = []
        for kind in KINDS:
            # Wind and gust share their texts.
            start = starts.setdefault(id(kind.texts), len(texts))
            if start == len(texts):
                texts += kind.texts
            offsets.append([start - kind.lowest])
        self.nothing = len(texts)
        texts.append("null")
        self.offsets: Floats = np.array(offsets, np.float32)
        # The last number of a row has no comma: its text is so much further on.
        self.last = len(texts)
        padded = [f"{text:>{_WIDTH - 1}}{end}" for end in (",", " ") for text in texts]
        # The places of the texts before each row, which are longer than a number.
        self.openings: list[list[int]] = []
        for number, kind in enumerate(KINDS):
            opening = f'{"]" if number else ""},"{kind.name}":['
            opening = opening.rjust(-(-len(opening) // _WIDTH) * _WIDTH)
            cut = [opening[at : at + _WIDTH] for at in range(0, len(opening), _WIDTH)]
            self.openings.append(list(range(len(padded), len(padded) + len(cut))))
            padded += cut
        self.texts: NDArray[np.bytes_] = np.array(padded, f"S{_WIDTH}")


_TEXTS = _Texts()


class Plan(NamedTuple):
    """Where the numbers of several forecasts go in the answer."""

    # Places in the numbers, or behind them in the texts between rows.
    source: NDArray[np.intp]
    between: NDArray[np.intp]
    # The last number of each row.
    last: NDArray[np.intp]
    # The first and last byte of each series.
    ends: list[tuple[int, int]]
    # A row for each column, with a 1 for the series it belongs to.
    belongs: Floats
    calendar: Floats
    starts: Starts


@lru_cache(maxsize=32)
def plan_of(forecasts: tuple[Columns, ...]) -> Plan:
    """Plan the answer for these forecasts; places nearby have the same."""
    width = sum(each.calendar.shape[1] for each in forecasts)
    count = width * len(KINDS)
    source: list[int] = []
    between: list[int] = []
    belongs = np.zeros((width, len(forecasts)), np.float32)
    last, ends = [], []
    nothing: list[int] = []
    begun: list[int] = []
    first = 0
    for number, columns in enumerate(forecasts):
        start = len(source)
        own = [column + first for span in columns.spans for column in range(*span)]
        for row in range(len(KINDS) if columns.has_weather else len(_WIND)):
            opening = _TEXTS.openings[row]
            source += range(count + len(between), count + len(between) + len(opening))
            between += opening
            source += [row * width + column for column in own]
            last.append(len(source) - 1)
        ends.append((start * _WIDTH, len(source) * _WIDTH))
        belongs[own, number] = 1
        for column, step in columns.starts:
            (begun if step else nothing).append(column + first)
        first += columns.calendar.shape[1]
    return Plan(
        np.array(source, np.intp),
        np.array(between, np.intp),
        np.array(last, np.intp),
        ends,
        belongs,
        np.concatenate([columns.calendar for columns in forecasts], axis=1),
        Starts(np.array(nothing, np.intp), np.array(begun, np.intp)),
    )


class Missing(NamedTuple):
    """How many values a series lacks."""

    wind: float
    gust: float


def texts_of(numbers: Floats, plan: Plan) -> list[memoryview]:
    """Return the rows of each series as members of an object, without the last bracket."""
    missing = np.isnan(numbers)
    places = numbers + _TEXTS.offsets
    places[missing] = _TEXTS.nothing
    chosen = np.concatenate((places.astype(np.intp).ravel(), plan.between)).take(plan.source)
    chosen[plan.last] += _TEXTS.last
    texts = _TEXTS.texts.take(chosen, mode="clip").view(np.uint8).data
    return [texts[start:end] for start, end in plan.ends]


def missing_of(numbers: Floats, plan: Plan) -> list[Missing]:
    """Count the missing values of each series."""
    counts = np.isnan(numbers[:2]).astype(np.float32) @ plan.belongs
    return [Missing(*each) for each in counts.T.tolist()]
