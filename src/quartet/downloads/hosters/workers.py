"""Runs the code of plugins so that it can neither hang nor end the server.

Each call has a thread with an event loop of its own. In the server's loop one `time.sleep` of a
plugin would stop every transfer and every page; processes of their own would be safer still, but
cost a start of Python and copies of everything for each call, and plugins are code the user chose.
A thread cannot be killed from outside, so one that does not end is left behind: an exception is
thrown into it, its answer is ignored, and a plugin with several such threads gets no more calls.
"""

import asyncio
import ctypes
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Generic, TypeVar

from quartet.downloads.hosters.clock import Clock

T = TypeVar("T")

CALL_SECONDS = 300.0
# Most of them only wait, for a person or a countdown.
AT_ONCE = 64
MOST_STUCK = 3
# For a cancelled call to tidy up, before it is interrupted wherever it is.
GRACE_SECONDS = 2.0


class TimeIsUp(Exception):
    """The call did not end in time."""


class TooManyStuck(Exception):
    """Earlier calls of this plugin still hang."""


class Thrown(BaseException):
    """Ends a thread that does not listen."""


class Worker(threading.Thread, Generic[T]):
    def __init__(self, name: str, job: Callable[[], Coroutine[Any, Any, T]]) -> None:
        super().__init__(name=f"plugin-{name}", daemon=True)
        self._job = job
        self._home = asyncio.get_running_loop()
        self.ended: asyncio.Future[T] = self._home.create_future()
        self.left_at = 0.0
        self._task: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self) -> None:
        # Whatever is raised in here, and whenever, this thread ends quietly.
        with suppress(BaseException):
            try:
                self._run()
            except BaseException as error:
                self._tell(None, error)
                raise

    def _run(self) -> None:
        loop = self._loop = asyncio.new_event_loop()
        loop.set_exception_handler(lambda _loop, _context: None)
        try:
            self._task = loop.create_task(self._work())
            loop.run_until_complete(self._task)
        finally:
            self._loop = None
            _close(loop)

    async def _work(self) -> None:
        try:
            self._tell(await self._job(), None)
        except BaseException as error:
            self._tell(None, error)
            if not isinstance(error, Exception | asyncio.CancelledError):
                raise

    def _tell(self, result: T | None, error: BaseException | None) -> None:
        # After the server's loop has ended nobody listens.
        with suppress(RuntimeError):
            self._home.call_soon_threadsafe(self._told, result, error)

    def _told(self, result: Any, error: BaseException | None) -> None:
        if self.ended.done():
            return
        if error is None:
            self.ended.set_result(result)
        elif isinstance(error, Exception) and not isinstance(error, StopIteration):
            self.ended.set_exception(error)
        else:
            # As an ordinary error: SystemExit and its like would end more than this call.
            self.ended.set_exception(RuntimeError(type(error).__name__))

    def leave(self) -> None:
        """Nobody waits for it any more."""
        self.left_at = time.monotonic()
        loop, task = self._loop, self._task
        if loop and task:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(task.cancel)

    def interrupt(self) -> None:
        if self.is_alive() and self.ident is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self.ident), ctypes.py_object(Thrown)
            )


class Workers:
    def __init__(self, *, grace: float = GRACE_SECONDS, most_stuck: int = MOST_STUCK) -> None:
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._grace = grace
        self._most_stuck = most_stuck
        self._left: dict[str, list[Worker[Any]]] = {}

    async def run(self, owner: str, job: Callable[[], Coroutine[Any, Any, T]], clock: Clock) -> T:
        if self.stuck(owner) >= self._most_stuck:
            raise TooManyStuck
        async with self._slots:
            worker = Worker(owner, job)
            worker.start()
            try:
                return await _in_time(worker.ended, clock)
            finally:
                if not worker.ended.done() or worker.ended.cancelled():
                    self._leave(owner, worker)

    def stuck(self, owner: str) -> int:
        """Threads of this plugin that were left and go on all the same."""
        alive = [worker for worker in self._left.pop(owner, []) if worker.is_alive()]
        if alive:
            self._left[owner] = alive
        late = time.monotonic() - self._grace
        return sum(worker.left_at < late for worker in alive)

    def _leave(self, owner: str, worker: Worker[Any]) -> None:
        worker.ended.cancel()
        worker.leave()
        self._left.setdefault(owner, []).append(worker)
        asyncio.get_running_loop().call_later(self._grace, worker.interrupt)


async def _in_time(ended: asyncio.Future[T], clock: Clock) -> T:
    while not ended.done():
        if clock.left <= 0:
            raise TimeIsUp
        # The clock may stand meanwhile; then it is looked at again.
        await asyncio.wait([ended], timeout=max(clock.left, 0.05))
    return ended.result()


def _close(loop: asyncio.AbstractEventLoop) -> None:
    """Tasks the plugin began get a moment to end, and no more."""
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.wait(tasks, timeout=GRACE_SECONDS))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()
