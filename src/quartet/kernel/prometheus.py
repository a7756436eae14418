"""Renders metrics in the Prometheus text format."""

from collections.abc import Iterable, Mapping, Sequence

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from quartet.kernel.metrics import BOUNDS, Gauge, Metrics


def render_metrics(metrics: Metrics, stored: Sequence[Gauge]) -> bytes:
    registry = CollectorRegistry()
    registry.register(_Figures(metrics, stored))
    return generate_latest(registry)


class _Figures(Collector):
    def __init__(self, metrics: Metrics, stored: Sequence[Gauge]) -> None:
        self._metrics = metrics
        self._stored = stored

    def collect(self) -> Iterable[Metric]:
        yield _answers(self._metrics)
        yield _times(self._metrics)
        yield from (_gauge(each) for each in [*self._metrics.gauges, *self._stored])


def _answers(metrics: Metrics) -> Metric:
    family = CounterMetricFamily(
        "quartet_http_answers", "Responses by status class", labels=["status"]
    )
    for hundreds, number in enumerate(metrics.by_class[1:], 1):
        family.add_metric([f"{hundreds}xx"], number)
    return family


def _times(metrics: Metrics) -> Metric:
    family = HistogramMetricFamily("quartet_http_seconds", "Seconds until the response started")
    total, buckets = 0, []
    for bound, number in zip(BOUNDS, metrics.by_time, strict=True):
        total += number
        buckets.append(("+Inf" if bound == BOUNDS[-1] else str(bound), float(total)))
    family.add_metric([], buckets, metrics.seconds)
    return family


def _gauge(gauge: Gauge) -> Metric:
    value = gauge.read()
    if not isinstance(value, Mapping):
        return GaugeMetricFamily(gauge.name, gauge.text, value=value)
    family = GaugeMetricFamily(gauge.name, gauge.text, labels=["name"])
    for name, each in value.items():
        family.add_metric([name], each)
    return family
