"""Admin page: background loops as tasks that can be inspected and started."""

from collections.abc import Callable, Collection
from typing import Literal

import msgspec

from quartet.kernel.errors import AppError, Problem
from quartet.kernel.supervisor import LoopRun, LoopState, Supervisor

Result = Literal["ok", "failed"]


class Task(msgspec.Struct, frozen=True, rename="camel"):
    """A background loop. Times are Unix seconds, `every` and `last_seconds` are seconds.

    `always`: the loop runs permanently and cannot be started by hand. `off`: it has nothing to do,
    because what it fetches is not selected.
    """

    id: str
    name: str
    state: Literal["running", "waiting", "stopped", "off"]
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


class BackgroundTasks:
    """`unused` returns the names of tasks that have nothing to do."""

    def __init__(
        self, supervisor: Supervisor, unused: Callable[[], Collection[str]] = lambda: ()
    ) -> None:
        self._supervisor = supervisor
        self._unused = unused

    def list(self) -> list[Task]:
        both = zip(self._supervisor.states(), self._supervisor.runs(), strict=True)
        unused = self._unused()
        return [_task(state, run, off=state.name in unused) for state, run in both]

    def run(self, task_id: str) -> Task:
        """Start the task now, or again after the current run."""
        task = self.find(task_id)
        if task.always:
            raise AppError(409, "task_always_runs", task=task.id)
        self._supervisor.run_now(task.name)
        return self.find(task_id)

    def find(self, task_id: str) -> Task:
        found = next((task for task in self.list() if task.id == task_id), None)
        if found is None:
            raise AppError(404, "not_found", path=task_id[:80])
        return found


def task_id_of(name: str) -> str:
    """Return an id that can be used in a URL."""
    return name.replace(" ", "-")


def _task(state: LoopState, run: LoopRun, *, off: bool) -> Task:
    result: Result = "failed" if state.error else "ok"
    return Task(
        id=task_id_of(state.name),
        name=state.name,
        state="off" if off and state.state == "waiting" else state.state,
        every=run.every,
        last_start=run.started_at,
        last_seconds=None if run.seconds is None else round(run.seconds, 3),
        last_result=None if run.seconds is None else result,
        error=state.error,
        restarts=state.restarts,
        next=None if off else run.next_at,
        always=run.every is None and state.state == "running",
    )
