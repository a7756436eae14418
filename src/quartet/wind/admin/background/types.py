from typing import Literal

import msgspec

from quartet.kernel.errors import Problem

Result = Literal["ok", "failed"]


class Task(msgspec.Struct, frozen=True, rename="camel"):
    """A background loop; times in Unix seconds, `every` and `last_seconds` in seconds.

    `always` is one that never ends by itself, so there is nothing to run now.
    """

    id: str
    name: str
    state: Literal["running", "waiting", "stopped"]
    every: float | None
    last_start: float | None
    last_seconds: float | None
    last_result: Result | None
    error: Problem | None
    restarts: int
    next: float | None
    always: bool


class TaskList(msgspec.Struct, frozen=True):
    tasks: list[Task]
