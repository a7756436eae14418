"""Metrics of media: jobs and the inbox."""

from typing import Any

from quartet.kernel.metrics import StoredGauge
from quartet.media.jobs import store, store_item_counts


def job_gauges() -> list[StoredGauge]:
    return [
        StoredGauge("quartet_media_jobs", "Number of jobs by state", _jobs),
        StoredGauge("quartet_media_inbox_files", "Files that need a decision", _inbox),
    ]


def _jobs(conn: Any) -> dict[str, float]:
    return {str(status): number for status, number in store.status_counts(conn).items()}


def _inbox(conn: Any) -> float:
    return store_item_counts.in_inbox(conn)
