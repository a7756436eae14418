"""Admin page: overview, starting with problems."""

import time
from collections.abc import Iterator
from typing import Literal

import msgspec

from quartet import __version__
from quartet.kernel.conditions import Finding
from quartet.kernel.errors import Problem
from quartet.kernel.kernel_gauges import memory_bytes
from quartet.kernel.service import Kernel
from quartet.wind.admin import store
from quartet.wind.admin.background import BackgroundTasks, Task
from quartet.wind.admin.forecasts import AdminModel, AdminRuns
from quartet.wind.admin.measurements import AdminSource, AdminSources
from quartet.wind.admin.storage import Disk, StorageAdmin
from quartet.wind.settings import WindSettings

_DAY = 86400
_LAST_TASKS = 8
_LATE_SECONDS = 300
# About the size of one run of the finest global models.
_LITTLE_BYTES = 5 * 1024**3
_LITTLE_SHARE = 0.05


class SourceAge(msgspec.Struct, frozen=True):
    """`newest` and `age` refer to the data; `overdue`: newer data should be available."""

    id: str
    kind: Literal["model", "measurements"]
    newest: int | None
    age: int | None
    overdue: bool
    error: Problem | None


class Totals(msgspec.Struct, frozen=True, rename="camel"):
    users: int
    spots: int
    alarms: int
    subscriptions: int
    stations: int
    live_stations: int


class AdminOverview(msgspec.Struct, frozen=True, rename="camel"):
    """`problems` is empty if there are none; `last` are the tasks that ran most recently."""

    problems: list[Problem]
    version: str
    schema_version: int
    started_at: int
    uptime: int
    memory: int
    disk: Disk
    counts: Totals
    sources: list[SourceAge]
    running: list[Task]
    last: list[Task]


class Overviews:
    def __init__(
        self,
        kernel: Kernel[WindSettings],
        tasks: BackgroundTasks,
        runs: AdminRuns,
        sources: AdminSources,
        storage_admin: StorageAdmin,
    ) -> None:
        self._kernel = kernel
        self._tasks = tasks
        self._runs = runs
        self._sources = sources
        self._storage_admin = storage_admin
        self._late: list[Finding] = []
        self._late_until = 0.0

    async def now(self) -> AdminOverview:
        kernel, tasks, disk = self._kernel, self._tasks.list(), self._storage_admin.disk()
        measured = await self._sources.everything()
        models = self._runs.models()
        ages = _ages(models, measured.sources)
        failed = await kernel.db.read(store.count_failed_messages, int(time.time()) - _DAY)
        counted = await kernel.db.read(store.count_rows)
        checks = (
            _of_disk(disk),
            _of_tasks(tasks),
            _of_sources(ages),
            _of_runs(models),
            _of_messages(failed),
        )
        return AdminOverview(
            problems=[
                *(problem for part in checks for problem in part),
                *(each.problem for each in kernel.conditions.current if each.kind == "backup"),
            ],
            version=__version__,
            schema_version=kernel.schema_version,
            started_at=int(kernel.started_at),
            uptime=int(time.time() - kernel.started_at),
            memory=memory_bytes(),
            disk=disk,
            counts=Totals(**counted._asdict(), live_stations=measured.live_stations),
            sources=ages,
            running=[task for task in tasks if task.state == "running" and not task.always],
            last=_last(tasks),
        )

    async def late_sources(self) -> list[Finding]:
        """Return the sources whose next data is overdue, at most a few minutes old.

        Counting the measurements is too expensive for every check.
        """
        if time.monotonic() < self._late_until:
            return self._late
        self._late_until = time.monotonic() + _LATE_SECONDS
        measured = await self._sources.everything()
        self._late = [
            Finding("source", each.id, Problem("source_overdue", {"source": each.id}))
            for each in _ages(self._runs.models(), measured.sources)
            if each.overdue and each.newest is not None
        ]
        return self._late


def _ages(models: list[AdminModel], measured: list[AdminSource]) -> list[SourceAge]:
    ages = []
    for model in models:
        newest = model.runs[0].run if model.runs else None
        age = SourceAge(model.id, "model", newest, model.age, model.overdue, model.error)
        ages.append(age)
    for each in measured:
        age = SourceAge(each.id, "measurements", each.newest, each.age, each.overdue, each.error)
        ages.append(age)
    return ages


def _last(tasks: list[Task]) -> list[Task]:
    ran = [task for task in tasks if task.last_seconds is not None]
    return sorted(ran, key=lambda task: task.last_start or 0, reverse=True)[:_LAST_TASKS]


def _of_disk(disk: Disk) -> Iterator[Problem]:
    if disk.free < min(_LITTLE_BYTES, disk.total * _LITTLE_SHARE):
        yield Problem("disk_nearly_full", {"free": disk.free})


def _of_tasks(tasks: list[Task]) -> Iterator[Problem]:
    for task in tasks:
        if task.error is not None:
            yield Problem("task_failed", {"task": task.id, "reason": task.error.code})


def _of_sources(ages: list[SourceAge]) -> Iterator[Problem]:
    for each in ages:
        if each.newest is None:
            yield Problem("source_missing", {"source": each.id})
        elif each.overdue:
            yield Problem("source_overdue", {"source": each.id, "age": each.age})


def _of_runs(models: list[AdminModel]) -> Iterator[Problem]:
    """Return what was odd about the newest runs; late models are among the sources."""
    for model in models:
        yield from (each for each in model.warnings if each.code != "source_overdue")


def _of_messages(failed: int) -> Iterator[Problem]:
    if failed:
        yield Problem("messages_failed", {"count": failed})
