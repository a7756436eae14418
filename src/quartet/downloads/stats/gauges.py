"""Metrics of downloads: the queue and its speed."""

from typing import Any

from quartet.downloads.stats import store
from quartet.downloads.stats.service import ActiveDownloads
from quartet.kernel.metrics import Gauge, StoredGauge


def queue_gauges(meter: ActiveDownloads) -> list[Gauge]:
    return [
        Gauge("quartet_downloads_active", "Running downloads", lambda: meter.active),
        Gauge("quartet_downloads_speed_bytes", "Bytes per second", lambda: meter.speed),
    ]


def stored_gauges() -> list[StoredGauge]:
    return [
        StoredGauge("quartet_downloads_files", "Number of downloads by state", _files),
        StoredGauge("quartet_downloads_queued_bytes", "Bytes that are still queued", _queued_bytes),
    ]


def _files(conn: Any) -> dict[str, float]:
    found = store.counts(conn, today=0)
    return {
        "collected": found.collected,
        "queued": found.queued,
        "paused": found.paused,
        "finished": found.finished,
        "failed": found.failed,
    }


def _queued_bytes(conn: Any) -> float:
    return store.counts(conn, today=0).queued_bytes
