"""Metrics that every service has: tasks, backups, disk and process."""

import resource
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from quartet import __version__
from quartet.kernel.metrics import Metrics
from quartet.kernel.service import Kernel

OPEN_FILES = Path("/proc/self/fd")


def add_kernel_gauges(kernel: Kernel[Any], metrics: Metrics) -> None:
    _add_task_gauges(kernel, metrics)
    _add_machine_gauges(kernel, metrics)


def _add_task_gauges(kernel: Kernel[Any], metrics: Metrics) -> None:
    metrics.gauge("streams", "Open live streams", lambda: kernel.events.streams)
    metrics.gauge(
        "loop_restarts",
        "Restarts of a background task",
        lambda: {loop.name: loop.restarts for loop in kernel.supervisor.states()},
    )
    metrics.gauge(
        "loop_failing",
        "1 while a background task has an error",
        lambda: {loop.name: int(loop.error is not None) for loop in kernel.supervisor.states()},
    )
    metrics.gauge(
        "problem",
        "1 for each problem on the system page, named by kind and object",
        lambda: {f"{each.kind} {each.name}": 1 for each in kernel.conditions.current},
    )
    metrics.gauge(
        "backup_failing",
        "1 if the last backup failed or is overdue",
        lambda: int(kernel.backups.problem is not None),
    )
    metrics.gauge(
        "backup_timestamp_seconds",
        "Unix time of the last verified backup; 0 if there is none",
        lambda: kernel.backups.succeeded_at or 0,
    )


def _add_machine_gauges(kernel: Kernel[Any], metrics: Metrics) -> None:
    metrics.gauge("version", "1, named by the version", lambda: {__version__: 1})
    metrics.gauge(
        "disk_free_bytes",
        "Free space on the disk of the data folder",
        lambda: shutil.disk_usage(kernel.settings.data).free,
    )
    metrics.gauge(
        "disk_total_bytes",
        "Size of the disk of the data folder",
        lambda: shutil.disk_usage(kernel.settings.data).total,
    )
    metrics.gauge("uptime_seconds", "Time since the start", lambda: time.time() - kernel.started_at)
    metrics.gauge("process_memory_bytes", "Memory of the process", memory_bytes)
    metrics.gauge("process_cpu_seconds", "CPU time of the process", time.process_time)
    metrics.gauge("process_open_files", "Open files and connections", _open_files)


def memory_bytes() -> int:
    """Return the memory of the process; services in one process report the same number."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
    return pages * resource.getpagesize()


def _open_files() -> int:
    return sum(1 for _ in OPEN_FILES.iterdir()) if OPEN_FILES.exists() else 0
