"""Prometheus figures of one service."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, float("inf"))

Read = Callable[[], float | Mapping[str, float]]


class Metrics:
    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._answers = _Answers()
        self._registry.register(self._answers)
        self.answered = self._answers.count

    def gauge(self, name: str, text: str, read: Read) -> None:
        """A figure that is read when somebody asks; a mapping gives one for each name."""
        self._registry.register(_Gauge(f"quartet_{name}", text, read))

    def text(self) -> bytes:
        return generate_latest(self._registry)


class _Answers(Collector):
    """Plain numbers: the library's own counters take a lock each, at every request."""

    def __init__(self) -> None:
        self._by_class = [0] * 6
        self._by_time = [0] * len(BOUNDS)
        self._seconds = 0.0

    def count(self, status: int, seconds: float) -> None:
        self._by_class[status // 100] += 1
        self._by_time[bisect_left(BOUNDS, seconds)] += 1
        self._seconds += seconds

    def collect(self) -> Iterable[Metric]:
        answers = CounterMetricFamily(
            "quartet_http_answers", "Answers by status", labels=["status"]
        )
        for hundreds, number in enumerate(self._by_class):
            answers.add_metric([f"{hundreds}xx"], number)
        yield answers
        times = HistogramMetricFamily("quartet_http_seconds", "Time until the answer began")
        total, buckets = 0, []
        for bound, number in zip(BOUNDS, self._by_time, strict=True):
            total += number
            buckets.append(("+Inf" if bound == BOUNDS[-1] else str(bound), float(total)))
        times.add_metric([], buckets, self._seconds)
        yield times


class _Gauge(Collector):
    def __init__(self, name: str, text: str, read: Read) -> None:
        self._name, self._text, self._read = name, text, read

    def collect(self) -> Iterable[Metric]:
        value = self._read()
        if isinstance(value, Mapping):
            family = GaugeMetricFamily(self._name, self._text, labels=["name"])
            for name, each in value.items():
                family.add_metric([name], each)
        else:
            family = GaugeMetricFamily(self._name, self._text, value=value)
        yield family
