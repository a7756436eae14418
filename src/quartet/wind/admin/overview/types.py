from typing import Literal

import msgspec

from quartet.kernel.errors import Problem
from quartet.wind.admin.background.types import Task
from quartet.wind.admin.storage.types import Disk


class SourceAge(msgspec.Struct, frozen=True):
    """`newest` and `age` as the data themselves say; `overdue` when newer ones should be there."""

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
    """`problems` are empty while all is well; `last` are the tasks that ran last."""

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
