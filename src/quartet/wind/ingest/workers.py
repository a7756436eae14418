"""Processes for the heavy work, there only while there is some."""

import asyncio
import multiprocessing
import os
import resource
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import ParamSpec, TypeVar

from quartet.kernel.supervisor import BackgroundTask
from quartet.wind.models.refused import Refused

P = ParamSpec("P")
T = TypeVar("T")

MOST_WORKERS = 4
IDLE_SECONDS = 20.0
_NICENESS = 5
_MOST_BYTES = 4 * 1024**3
# The longest job is the table of cells, which takes a small computer a minute.
JOB_SECONDS = 1200.0


class Workers:
    def __init__(self, count: int | None = None, seconds: float = JOB_SECONDS) -> None:
        self.count = count or min(len(os.sched_getaffinity(0)), MOST_WORKERS)
        self._seconds = seconds
        self._pool: ProcessPoolExecutor | None = None
        self._busy = 0
        self._used = False

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        pool = self._opened()
        self._busy += 1
        self._used = True
        try:
            job = partial(work, *args, **kwargs)
            return await asyncio.wrap_future(pool.submit(_limited, self._seconds, job))
        except BrokenProcessPool:
            # Also those whose own file was good: they ask for it again.
            if pool is self._pool:
                self.close()
            raise Refused("unreadable") from None
        except MemoryError:
            raise Refused("too_large") from None
        finally:
            self._busy -= 1

    def loop(self) -> BackgroundTask:
        return BackgroundTask("workers", self._send_home)

    def close(self) -> None:
        """Also in the middle of a job: a server that ends would wait for it."""
        if self._pool is not None:
            processes = list(self._pool._processes.values())
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
            for process in processes:
                process.kill()

    async def _send_home(self) -> None:
        """They need memory even when there is nothing to do, and are quickly there again."""
        try:
            while True:
                await asyncio.sleep(IDLE_SECONDS)
                if not self._busy and not self._used:
                    self.close()
                self._used = False
        finally:
            self.close()

    def _opened(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self.count,
                # A copy of a process with threads may hang, so they start afresh.
                mp_context=multiprocessing.get_context("spawn"),
                initializer=_prepare,
            )
        return self._pool


def _prepare() -> None:
    """Answers to people come first, and a worker is one thread: there is one for each core."""
    os.nice(_NICENESS)
    # A picture inside a hostile file may claim any size.
    _, allowed = resource.getrlimit(resource.RLIMIT_AS)
    most = _MOST_BYTES if allowed == resource.RLIM_INFINITY else min(_MOST_BYTES, allowed)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    threading.Thread(target=_end_with_server, daemon=True).start()


def _limited(seconds: float, job: Callable[[], T]) -> T:
    """Nothing in a decoder's loop would listen, so the system itself ends a process in time."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return job()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _end_with_server() -> None:
    """A server that is killed can send nobody home."""
    server = multiprocessing.parent_process()
    if server is not None:
        server.join()
        os._exit(1)
