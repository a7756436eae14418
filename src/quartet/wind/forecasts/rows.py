"""Look up rows of numbers as JSON texts instead of formatting them.

There are only some thousand different speeds, temperatures and so on. Formatting lists of floats
would take longer than reading, interpolating and sending them.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quartet.wind.grid.arrays import Floats
from quartet.wind.grid.forecast import Columns
from quartet.wind.grid.weather import SYMBOLS

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
    Kind("precipitation", _tenths(0, 10_000)),
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
    # First and last column of each part of a series, and the numbers of its parts.
    edges: list[int]
    parts: list[slice]
    calendar: Floats
    # Where a run begins, and where nothing comes before a step.
    starts: NDArray[np.intp]


@lru_cache(maxsize=32)
def plan_of(forecasts: tuple[Columns, ...]) -> Plan:
    """Plan the answer for these forecasts; places nearby have the same."""
    width = sum(each.calendar.shape[1] for each in forecasts)
    count = width * len(KINDS)
    source: list[int] = []
    between: list[int] = []
    edges: list[int] = []
    last, ends, parts, starts = [], [], [], []
    first = 0
    for columns in forecasts:
        begun = len(source)
        own = [column + first for start, end in columns.spans for column in range(start, end)]
        for row in range(len(KINDS) if columns.has_weather else len(_WIND)):
            opening = _TEXTS.openings[row]
            source += range(count + len(between), count + len(between) + len(opening))
            between += opening
            source += [row * width + column for column in own]
            last.append(len(source) - 1)
        ends.append((begun * _WIDTH, len(source) * _WIDTH))
        parts.append(slice(len(edges) // 2, len(edges) // 2 + len(columns.spans)))
        edges += [edge + first for span in columns.spans for edge in span]
        starts += [start + first for start in columns.starts]
        first += columns.calendar.shape[1]
    if edges[-1] == width:
        # Sums go to the end anyway.
        edges.pop()
    return Plan(
        np.array(source, np.intp),
        np.array(between, np.intp),
        np.array(last, np.intp),
        ends,
        edges,
        parts,
        np.concatenate([columns.calendar for columns in forecasts], axis=1),
        np.array(starts, np.intp),
    )


class Missing(NamedTuple):
    """How many values a series lacks."""

    wind: int
    gust: int


def texts_of(numbers: Floats, plan: Plan) -> list[memoryview]:
    """Return the rows of each series as members of an object, without the last bracket."""
    missing = np.isnan(numbers)
    places = numbers + _TEXTS.offsets
    places[missing] = _TEXTS.nothing
    chosen = np.concatenate((places.astype(np.intp).ravel(), plan.between)).take(plan.source)
    chosen[plan.last] += _TEXTS.last
    texts = _TEXTS.texts.take(chosen, mode="clip").view(np.uint8).data
    return [texts[start:end] for start, end in plan.ends]


def missing_of(numbers: Floats, plan: Plan) -> Sequence[Missing]:
    sums = np.add.reduceat(np.isnan(numbers[:2]), plan.edges, axis=1, dtype=np.intp)[:, ::2]
    wind, gust = sums.tolist()
    return [Missing(sum(wind[part]), sum(gust[part])) for part in plan.parts]
