"""Runs plugin code so that it can neither block nor end the server.

Each call has its own thread with its own event loop. In the server's loop, one `time.sleep` of a
plugin would block every transfer and every page. Separate processes would be safer, but cost a
Python start and copies of all data for each call, and plugins are code that the user chose.
A thread cannot be killed from outside, so one that does not end is abandoned: an exception is
raised in it, its result is ignored, and a plugin with several such threads gets no more calls.
"""

import asyncio
import ctypes
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Generic, TypeVar

from quartet.downloads.hosters.call_timer import CallTimer

T = TypeVar("T")

CALL_SECONDS = 300.0
# Most of them only wait for the user or a countdown.
MAX_THREADS = 64
MAX_STUCK = 3
# The time a cancelled call has to clean up before it is interrupted.
GRACE_SECONDS = 2.0


class CallTimedOut(Exception):
    """The call exceeded its time limit."""


class PluginStuck(Exception):
    """Earlier calls of this plugin still hang."""


class ThreadInterrupted(BaseException):
    """Raised in a thread that does not react to cancellation."""


class PluginThread(threading.Thread, Generic[T]):
    def __init__(self, name: str, job: Callable[[], Coroutine[Any, Any, T]]) -> None:
        super().__init__(name=f"plugin-{name}", daemon=True)
        self._job = job
        self._server_loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[T] = self._server_loop.create_future()
        self.abandoned_at = 0.0
        self._task: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self) -> None:
        # No exception may leave the thread.
        with suppress(BaseException):
            try:
                self._run()
            except BaseException as error:
                self._report(None, error)
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
            self._report(await self._job(), None)
        except BaseException as error:
            self._report(None, error)
            if not isinstance(error, Exception | asyncio.CancelledError):
                raise

    def _report(self, result: T | None, error: BaseException | None) -> None:
        # Ignored if the server's loop has been closed.
        with suppress(RuntimeError):
            self._server_loop.call_soon_threadsafe(self._set_result, result, error)

    def _set_result(self, result: Any, error: BaseException | None) -> None:
        if self.ended.done():
            return
        if error is None:
            self.ended.set_result(result)
        elif isinstance(error, Exception) and not isinstance(error, StopIteration):
            self.ended.set_exception(error)
        else:
            # Wrapped, because SystemExit and the like would end more than this call.
            self.ended.set_exception(RuntimeError(type(error).__name__))

    def abandon(self) -> None:
        """Cancel the call; its result is no longer needed."""
        self.abandoned_at = time.monotonic()
        loop, task = self._loop, self._task
        if loop and task:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(task.cancel)

    def interrupt(self) -> None:
        if self.is_alive() and self.ident is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self.ident), ctypes.py_object(ThreadInterrupted)
            )


class Workers:
    def __init__(self, *, grace: float = GRACE_SECONDS, most_stuck: int = MAX_STUCK) -> None:
        self._slots = asyncio.Semaphore(MAX_THREADS)
        self._grace = grace
        self._most_stuck = most_stuck
        self._abandoned: dict[str, list[PluginThread[Any]]] = {}

    async def run(
        self, owner: str, job: Callable[[], Coroutine[Any, Any, T]], timer: CallTimer
    ) -> T:
        if self.stuck(owner) >= self._most_stuck:
            raise PluginStuck
        async with self._slots:
            worker = PluginThread(owner, job)
            worker.start()
            try:
                return await _wait_for_result(worker.ended, timer)
            finally:
                if not worker.ended.done() or worker.ended.cancelled():
                    self._abandon(owner, worker)

    def stuck(self, owner: str) -> int:
        """Return the number of abandoned threads of this plugin that are still running."""
        alive = [worker for worker in self._abandoned.pop(owner, []) if worker.is_alive()]
        if alive:
            self._abandoned[owner] = alive
        late = time.monotonic() - self._grace
        return sum(worker.abandoned_at < late for worker in alive)

    def _abandon(self, owner: str, worker: PluginThread[Any]) -> None:
        worker.ended.cancel()
        worker.abandon()
        self._abandoned.setdefault(owner, []).append(worker)
        asyncio.get_running_loop().call_later(self._grace, worker.interrupt)


async def _wait_for_result(ended: asyncio.Future[T], timer: CallTimer) -> T:
    while not ended.done():
        if timer.left <= 0:
            raise CallTimedOut
        # The timer may be paused in the meantime, so check it again.
        await asyncio.wait([ended], timeout=max(timer.left, 0.05))
    return ended.result()


def _close(loop: asyncio.AbstractEventLoop) -> None:
    """Give the tasks of the plugin a moment to end, then close the loop."""
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.wait(tasks, timeout=GRACE_SECONDS))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()
