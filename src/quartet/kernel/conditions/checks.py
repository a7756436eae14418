"""The checks that every service needs."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from quartet.kernel.conditions.types import Finding
from quartet.kernel.errors import Problem
from quartet.kernel.supervisor import Supervisor

# A periodic task that takes longer than this, and longer than three periods, hangs.
HANGING_SECONDS = 6 * 3600
LITTLE_BYTES = 1024**3
LITTLE_SHARE = 0.03


def task_findings(supervisor: Supervisor, now: float) -> Iterator[Finding]:
    for state in supervisor.states():
        if state.error is not None:
            reason = state.error.code
            problem = Problem("health_task_failing", {"name": state.name, "reason": reason})
            yield Finding("task", state.name, problem)
    for run in supervisor.runs():
        if run.every is None or run.started_at is None or run.next_at is not None:
            continue
        if now - run.started_at > max(HANGING_SECONDS, 3 * run.every):
            problem = Problem("health_task_hanging", {"name": run.name})
            yield Finding("task", run.name, problem)


def disk_finding(
    folder: Path, usage: Callable[[Path], tuple[int, int, int]] = shutil.disk_usage
) -> Iterator[Finding]:
    """Report a disk with less than 3 % and less than 1 GiB free, or a missing folder. Blocks."""
    name = str(folder)
    try:
        total, _, free = usage(folder)
    except OSError:
        yield Finding("disk", name, Problem("health_disk_missing", {"folder": name}))
        return
    if free < min(LITTLE_BYTES, total * LITTLE_SHARE):
        megabytes = free // 1024**2
        problem = Problem("health_disk_full", {"folder": name, "megabytes": megabytes})
        yield Finding("disk", name, problem)
