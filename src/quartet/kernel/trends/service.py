import asyncio
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from quartet.kernel.trends import store
from quartet.kernel.trends.series import SPANS, Series
from quartet.kernel.trends.types import Span, Trend, Trends

# A limit for memory and the file: 12 kB each.
MOST_SERIES = 128

Read = Callable[[], float | Mapping[str, float]]


class Source(NamedTuple):
    """A figure that is read every second; a mapping has a value for each label."""

    name: str
    read: Read


class TrendRecorder:
    """Records figures over time."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._clock = clock
        self._series: dict[store.Key, Series] = {}
        self.sources: list[Source] = []

    def load(self) -> None:
        self._series = store.read(self._path)

    def save(self) -> None:
        store.write(self._path, store.encode(self._series))

    async def save_in_thread(self) -> None:
        await asyncio.to_thread(store.write, self._path, store.encode(self._series))

    def sample(self) -> None:
        second = int(self._clock())
        for name, read in self.sources:
            found = read()
            if not isinstance(found, Mapping):
                found = {"": found}
            for label, value in found.items():
                self._put((name, label), second, value)

    def _put(self, key: store.Key, second: int, value: float) -> None:
        if key not in self._series:
            if key[1] and value == 0:
                # A device that never transfers anything needs no memory.
                return
            self._make_room()
            self._series[key] = Series()
        self._series[key].put(second, value)

    def _make_room(self) -> None:
        if len(self._series) >= MOST_SERIES:
            del self._series[min(self._series, key=lambda each: self._series[each].newest)]

    def read(self, names: Collection[str], span: Span, after: int | None = None) -> Trends:
        """Return the values of the span, or only those after a time."""
        step, room = SPANS[span]
        # The current period is not complete before its end, except for seconds.
        last = int(self._clock()) // step - (step > 1)
        first = last - room + 1
        if after is not None:
            first = max(first, after // step + 1)
        trends = [
            Trend(name, label, [_short(each) for each in series.rings[span].between(first, last)])
            for (name, label), series in self._series.items()
            if name in names
        ]
        return Trends(span, step, last * step, trends)


def _short(value: float | None) -> float | None:
    """Return the value without digits that no chart shows."""
    return value if value is None else round(value) if abs(value) >= 100 else round(value, 2)


def rate_of(
    count: Callable[[], float], clock: Callable[[], float] = time.monotonic
) -> Callable[[], float]:
    """Return a figure that is the increase of a count per second."""
    before, at = count(), clock()

    def read() -> float:
        nonlocal before, at
        now, time = count(), clock()
        rate = max(now - before, 0) / max(time - at, 0.001)
        before, at = now, time
        return rate

    return read
