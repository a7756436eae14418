"""Runs and restarts the background tasks of a service and reports their state."""

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from quartet.kernel.errors import AppError, Problem, problem_of

log = logging.getLogger("quartet.supervisor")

FIRST_DELAY = 1.0
LAST_DELAY = 60.0
# After running this long, a task counts as healthy: its error is cleared and its delay reset.
HEALTHY_SECONDS = 60.0
STOP_SECONDS = 5.0

Run = Callable[[], Awaitable[None]]
Sleep = Callable[[float], Awaitable[None]]


class Fatal(Exception):
    """An error after which the process must end with `exit_code`."""

    def __init__(self, exit_code: int, code: str, /, **inputs: object) -> None:
        super().__init__(str(AppError(500, code, **inputs)))
        self.exit_code = exit_code
        self.problem = Problem(code, inputs)


@dataclass(frozen=True)
class BackgroundTask:
    """A background task; runs until it returns, or repeatedly if `every` is set."""

    name: str
    run: Run
    every: float | None = None
    # Maximum random extra pause, so that installations do not send requests at the same time.
    jitter: float = 0.0
    restart_on_return: bool = False
    # Also runs in processes with the role "web", which skip all other tasks.
    everywhere: bool = False
    # Tasks with the same name here run in only one process per database at a time.
    exclusive: str | None = None


def every(
    seconds: float,
    run: Run,
    *,
    name: str,
    jitter: float = 0.0,
    everywhere: bool = False,
    exclusive: str | None = None,
) -> BackgroundTask:
    """Return a task that runs at once and then repeatedly with this pause."""
    return BackgroundTask(
        name, run, every=seconds, jitter=jitter, everywhere=everywhere, exclusive=exclusive
    )


class LoopState(msgspec.Struct, frozen=True):
    name: str
    state: Literal["running", "waiting", "stopped"]
    restarts: int
    error: Problem | None


class LoopRun(msgspec.Struct, frozen=True, rename="camel"):
    """When a background task ran, in Unix seconds; `seconds` is the duration of the last run."""

    name: str
    every: float | None
    started_at: float | None
    seconds: float | None
    next_at: float | None


@dataclass(eq=False)
class _SupervisedTask:
    loop: BackgroundTask
    state: Literal["running", "waiting", "stopped"] = "waiting"
    restarts: int = 0
    error: Problem | None = None
    began: float = 0.0
    started_at: float | None = None
    seconds: float | None = None
    next_at: float | None = None
    delay: float = FIRST_DELAY
    wake_up: asyncio.Event = field(default_factory=asyncio.Event)


class Supervisor:
    def __init__(
        self,
        on_fatal: Callable[[int], None] | None = None,
        *,
        sleep: Sleep = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        # Called with the exit code of a fatal error.
        self._on_fatal = on_fatal
        self._sleep = sleep
        self._clock = clock
        self._wall = wall
        # Encloses each run of a periodic task, by its name.
        self.traced: Callable[[str], AbstractContextManager[None]] = lambda _name: nullcontext()
        self._supervised: dict[str, _SupervisedTask] = {}
        self._tasks: dict[asyncio.Task[None], str] = {}

    async def start(self, loops: Iterable[BackgroundTask]) -> None:
        for loop in loops:
            if loop.name in self._supervised:
                raise ValueError(f"two background tasks are named {loop.name}")
            task = self._supervised[loop.name] = _SupervisedTask(loop)
            self._start_task(task)

    async def stop(self, seconds: float = STOP_SECONDS) -> None:
        if not self._tasks:
            return
        for task in self._tasks:
            task.cancel()
        _, stuck = await asyncio.wait(self._tasks, timeout=seconds)
        for task in stuck:
            log.error("background task %s did not stop in time", self._tasks[task])
        self._tasks.clear()

    def states(self) -> list[LoopState]:
        return [self._state_of(task) for task in self._supervised.values()]

    def runs(self) -> list[LoopRun]:
        return [
            LoopRun(each.loop.name, each.loop.every, each.started_at, each.seconds, each.next_at)
            for each in self._supervised.values()
        ]

    def run_now(self, name: str) -> None:
        """End the pause of a task, or start a finished task again.

        A task that is currently running will run once more.
        """
        if name not in self._supervised:
            raise AppError(404, "not_found", path=name)
        task = self._supervised[name]
        task.wake_up.set()
        if task.state == "stopped" and self._tasks:
            self._start_task(task)

    def _start_task(self, task: _SupervisedTask) -> None:
        task.state = "waiting"
        name = task.loop.name
        self._tasks[asyncio.create_task(self._supervise(task), name=name)] = name

    def _state_of(self, task: _SupervisedTask) -> LoopState:
        error = None if task.state == "running" and self._is_healthy(task) else task.error
        return LoopState(task.loop.name, task.state, task.restarts, error)

    def _is_healthy(self, task: _SupervisedTask) -> bool:
        return self._clock() - task.began >= HEALTHY_SECONDS

    async def _supervise(self, task: _SupervisedTask) -> None:
        try:
            while (seconds := await self._run_once(task)) is not None:
                task.state = "waiting"
                task.next_at = self._wall() + seconds
                await self._pause(task, seconds)
        finally:
            task.state = "stopped"

    async def _run_once(self, task: _SupervisedTask) -> float | None:
        """Run the task and return the seconds until the next run; None if it is finished."""
        task.state = "running"
        task.began = self._clock()
        task.started_at, task.next_at = self._wall(), None
        task.wake_up.clear()
        try:
            await self._run_timed(task)
        except asyncio.CancelledError as error:
            current = asyncio.current_task()
            if current is None or current.cancelling():
                raise
            # Not a stop request: something the task awaited was cancelled.
            return self._failed(task, error)
        except Exception as error:  # noqa: BLE001 - every error of a loop ends here
            return self._failed(task, error)
        return self._returned(task)

    async def _run_timed(self, task: _SupervisedTask) -> None:
        # A task without a pause runs as long as the process.
        traced = self.traced(task.loop.name) if task.loop.every is not None else nullcontext()
        try:
            with traced:
                await task.loop.run()
        finally:
            task.seconds = self._clock() - task.began

    def _returned(self, task: _SupervisedTask) -> float | None:
        task.error = None
        if task.loop.every is not None:
            task.delay = FIRST_DELAY
            return task.loop.every + random.uniform(0, task.loop.jitter)
        if task.loop.restart_on_return:
            task.restarts += 1
            return self._next_delay(task)
        return None

    def _failed(self, task: _SupervisedTask, error: BaseException) -> float | None:
        fatal = _find_fatal(error)
        if fatal is not None:
            task.error = fatal.problem
            log.critical("background task %s ends the process: %s", task.loop.name, fatal)
            if self._on_fatal is not None:
                self._on_fatal(fatal.exit_code)
            return None
        task.error = problem_of(error)
        task.restarts += 1
        delay = self._next_delay(task)
        trace = None if isinstance(error, AppError) else error
        text = "background task %s failed, retrying in %g s: %s"
        log.error(text, task.loop.name, delay, error, exc_info=trace)
        return delay

    def _next_delay(self, task: _SupervisedTask) -> float:
        delay = FIRST_DELAY if self._is_healthy(task) else task.delay
        task.delay = min(delay * 2, LAST_DELAY)
        return delay

    async def _pause(self, task: _SupervisedTask, seconds: float) -> None:
        waits = [
            asyncio.ensure_future(self._sleep(seconds)),
            asyncio.ensure_future(task.wake_up.wait()),
        ]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()


def _find_fatal(error: BaseException) -> Fatal | None:
    """Find a fatal error, also in exception groups of tasks that use task groups."""
    if isinstance(error, BaseExceptionGroup):
        found = [_find_fatal(each) for each in error.exceptions]
        return next((fatal for fatal in found if fatal is not None), None)
    return error if isinstance(error, Fatal) else None
