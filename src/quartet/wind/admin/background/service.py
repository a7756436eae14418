"""The background loops as tasks that somebody can look at and start."""

from quartet.kernel.errors import AppError
from quartet.kernel.supervisor import LoopRun, LoopState, Supervisor
from quartet.wind.admin.background.types import Result, Task


class Tasks:
    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor

    def list(self) -> list[Task]:
        both = zip(self._supervisor.states(), self._supervisor.runs(), strict=True)
        return [_task(state, run) for state, run in both]

    def run(self, task_id: str) -> Task:
        """Now, or once more if it is just running."""
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
    """Fit for an address."""
    return name.replace(" ", "-")


def _task(state: LoopState, run: LoopRun) -> Task:
    result: Result = "failed" if state.error else "ok"
    return Task(
        id=task_id_of(state.name),
        name=state.name,
        state=state.state,
        every=run.every,
        last_start=run.started_at,
        last_seconds=None if run.seconds is None else round(run.seconds, 3),
        last_result=None if run.seconds is None else result,
        error=state.error,
        restarts=state.restarts,
        next=run.next_at,
        always=run.every is None and state.state == "running",
    )
