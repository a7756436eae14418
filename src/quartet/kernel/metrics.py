"""Request counters and gauges of one service; `prometheus` renders them."""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, float("inf"))

Value = float | Mapping[str, float]
Read = Callable[[], Value]


class Gauge(NamedTuple):
    name: str
    text: str
    read: Read


class StoredGauge(NamedTuple):
    """A gauge whose value is read from the database when the metrics are requested."""

    name: str
    text: str
    read: Callable[[Any], Value]


class Metrics:
    """Plain numbers, because a locked counter would cost time in every request."""

    def __init__(self) -> None:
        self.by_class = [0] * 6
        self.by_time = [0] * len(BOUNDS)
        self.seconds = 0.0
        self.gauges: list[Gauge] = []
        self.stored: list[StoredGauge] = []

    def answered(self, status: int, seconds: float) -> None:
        self.by_class[status // 100] += 1
        self.by_time[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds

    def gauge(self, name: str, text: str, read: Read) -> None:
        """Add a gauge that is read on demand; a mapping yields one value per label."""
        self.gauges.append(Gauge(f"quartet_{name}", text, read))

    def read_stored(self, conn: Any) -> list[Gauge]:
        return [_with_value(each, each.read(conn)) for each in self.stored]


def _with_value(gauge: StoredGauge, value: Value) -> Gauge:
    return Gauge(gauge.name, gauge.text, lambda: value)
