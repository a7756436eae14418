"""Worker processes for decoding, which run only while there is work."""

import asyncio
import multiprocessing
import os
import resource
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
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
# The longest job builds the mesh of ICON, which takes a small computer several minutes.
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
            with _children_ignore_ctrl_c():
                submitted = pool.submit(_limited, self._seconds, job)
            return await asyncio.wrap_future(submitted)
        except BrokenProcessPool:
            # The jobs of other callers fail as well; they fetch their files again.
            if pool is self._pool:
                self.close()
            raise Refused("unreadable") from None
        except MemoryError:
            raise Refused("too_large") from None
        finally:
            self._busy -= 1

    def loop(self) -> BackgroundTask:
        return BackgroundTask("workers", self._end_when_idle)

    def close(self) -> None:
        """Kill the workers, even in the middle of a job: a stopping server must not wait for it."""
        if self._pool is not None:
            processes = list(self._pool._processes.values())
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
            for process in processes:
                process.kill()

    async def _end_when_idle(self) -> None:
        """End idle workers: they use memory, and starting them is quick."""
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
                # Forking a process that has threads may deadlock, so workers are spawned.
                mp_context=multiprocessing.get_context("spawn"),
                initializer=_prepare,
            )
        return self._pool


@contextmanager
def _children_ignore_ctrl_c() -> Iterator[None]:
    """Block SIGINT for processes started here: the server ends them when it stops."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _prepare() -> None:
    """Lower the priority and limit the memory of a worker, which has a single thread."""
    os.nice(_NICENESS)
    # An image inside a malicious file may claim any size.
    _, allowed = resource.getrlimit(resource.RLIMIT_AS)
    most = _MOST_BYTES if allowed == resource.RLIM_INFINITY else min(_MOST_BYTES, allowed)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    threading.Thread(target=_end_with_server, daemon=True).start()


def _limited(seconds: float, job: Callable[[], T]) -> T:
    """Let the system kill the process after a time: the decoder cannot be interrupted otherwise."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return job()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _end_with_server() -> None:
    """End together with the server, also if that is killed."""
    server = multiprocessing.parent_process()
    if server is not None:
        server.join()
        os._exit(1)
