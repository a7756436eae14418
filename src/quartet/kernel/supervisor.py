"""Keeps the background loops of a service running and says how they are."""

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from quartet.kernel.errors import AppError, Problem, problem_of

log = logging.getLogger("quartet.supervisor")

FIRST_DELAY = 1.0
LAST_DELAY = 60.0
# Whoever has run this long is well again: its old error is history and its next delay short.
WELL_SECONDS = 60.0
STOP_SECONDS = 5.0

Run = Callable[[], Awaitable[None]]
Sleep = Callable[[float], Awaitable[None]]


class Fatal(Exception):
    """Going on makes no sense: the process ends with `exit_code`."""

    def __init__(self, exit_code: int, code: str, /, **inputs: object) -> None:
        super().__init__(str(AppError(500, code, **inputs)))
        self.exit_code = exit_code
        self.problem = Problem(code, inputs)


@dataclass(frozen=True)
class BackgroundTask:
    """Runs until it returns, or again and again if `every` is set."""

    name: str
    run: Run
    every: float | None = None
    # Seconds by which the pause may be longer, so that many installations do not ask at once.
    jitter: float = 0.0
    restart_on_return: bool = False
    # Also in a process that only answers people, which leaves all other loops to the workers.
    everywhere: bool = False
    # Of all loops with this name on one database only those of one process run at a time.
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
    """A loop that runs at once and then with this pause in between."""
    return BackgroundTask(
        name, run, every=seconds, jitter=jitter, everywhere=everywhere, exclusive=exclusive
    )


class LoopState(msgspec.Struct, frozen=True):
    name: str
    state: Literal["running", "waiting", "stopped"]
    restarts: int
    error: Problem | None


class LoopRun(msgspec.Struct, frozen=True, rename="camel"):
    """When a loop ran, in Unix seconds; `seconds` is how long its last finished run took."""

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
        # Told the exit code of a fatal error.
        self._on_fatal = on_fatal
        self._sleep = sleep
        self._clock = clock
        self._wall = wall
        self._kept: dict[str, _SupervisedTask] = {}
        self._tasks: dict[asyncio.Task[None], str] = {}

    async def start(self, loops: Iterable[BackgroundTask]) -> None:
        for loop in loops:
            if loop.name in self._kept:
                raise ValueError(f"two loops are called {loop.name}")
            kept = self._kept[loop.name] = _SupervisedTask(loop)
            self._begin(kept)

    async def stop(self, seconds: float = STOP_SECONDS) -> None:
        if not self._tasks:
            return
        for task in self._tasks:
            task.cancel()
        _, stuck = await asyncio.wait(self._tasks, timeout=seconds)
        for task in stuck:
            log.error("loop %s does not stop", self._tasks[task])
        self._tasks.clear()

    def states(self) -> list[LoopState]:
        return [self._state_of(kept) for kept in self._kept.values()]

    def runs(self) -> list[LoopRun]:
        return [
            LoopRun(each.loop.name, each.loop.every, each.started_at, each.seconds, each.next_at)
            for each in self._kept.values()
        ]

    def run_now(self, name: str) -> None:
        """Cuts short the pause of a loop, or begins one again that has come to its end.

        One that is just running will run once more.
        """
        if name not in self._kept:
            raise AppError(404, "not_found", path=name)
        kept = self._kept[name]
        kept.wake_up.set()
        if kept.state == "stopped" and self._tasks:
            self._begin(kept)

    def _begin(self, kept: _SupervisedTask) -> None:
        kept.state = "waiting"
        name = kept.loop.name
        self._tasks[asyncio.create_task(self._keep(kept), name=name)] = name

    def _state_of(self, kept: _SupervisedTask) -> LoopState:
        error = None if kept.state == "running" and self._is_well(kept) else kept.error
        return LoopState(kept.loop.name, kept.state, kept.restarts, error)

    def _is_well(self, kept: _SupervisedTask) -> bool:
        return self._clock() - kept.began >= WELL_SECONDS

    async def _keep(self, kept: _SupervisedTask) -> None:
        try:
            while (seconds := await self._run_once(kept)) is not None:
                kept.state = "waiting"
                kept.next_at = self._wall() + seconds
                await self._pause(kept, seconds)
        finally:
            kept.state = "stopped"

    async def _run_once(self, kept: _SupervisedTask) -> float | None:
        """Seconds until it shall run again."""
        kept.state = "running"
        kept.began = self._clock()
        kept.started_at, kept.next_at = self._wall(), None
        kept.wake_up.clear()
        try:
            await self._timed(kept)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            # Nobody stops us: something the loop waited for was cancelled.
            return self._failed(kept, error)
        except Exception as error:  # noqa: BLE001 - every error of a loop ends here
            return self._failed(kept, error)
        return self._returned(kept)

    async def _timed(self, kept: _SupervisedTask) -> None:
        try:
            await kept.loop.run()
        finally:
            kept.seconds = self._clock() - kept.began

    def _returned(self, kept: _SupervisedTask) -> float | None:
        kept.error = None
        if kept.loop.every is not None:
            kept.delay = FIRST_DELAY
            return kept.loop.every + random.uniform(0, kept.loop.jitter)
        if kept.loop.restart_on_return:
            kept.restarts += 1
            return self._next_delay(kept)
        return None

    def _failed(self, kept: _SupervisedTask, error: BaseException) -> float | None:
        fatal = _fatal_in(error)
        if fatal is not None:
            kept.error = fatal.problem
            log.critical("loop %s ends the process: %s", kept.loop.name, fatal)
            if self._on_fatal is not None:
                self._on_fatal(fatal.exit_code)
            return None
        kept.error = problem_of(error)
        kept.restarts += 1
        delay = self._next_delay(kept)
        trace = None if isinstance(error, AppError) else error
        text = "loop %s failed, next try in %g s: %s"
        log.error(text, kept.loop.name, delay, error, exc_info=trace)
        return delay

    def _next_delay(self, kept: _SupervisedTask) -> float:
        delay = FIRST_DELAY if self._is_well(kept) else kept.delay
        kept.delay = min(delay * 2, LAST_DELAY)
        return delay

    async def _pause(self, kept: _SupervisedTask, seconds: float) -> None:
        waits = [
            asyncio.ensure_future(self._sleep(seconds)),
            asyncio.ensure_future(kept.wake_up.wait()),
        ]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()


def _fatal_in(error: BaseException) -> Fatal | None:
    """Loops with tasks of their own raise groups."""
    if isinstance(error, BaseExceptionGroup):
        found = [_fatal_in(each) for each in error.exceptions]
        return next((fatal for fatal in found if fatal is not None), None)
    return error if isinstance(error, Fatal) else None
