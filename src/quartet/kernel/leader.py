"""Leader election: tasks that only one of several processes may run."""

import asyncio
import logging
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from socket import gethostname
from typing import TYPE_CHECKING, Any, Never

from quartet.kernel.errors import AppError
from quartet.kernel.postgres import plain_address
from quartet.kernel.supervisor import BackgroundTask, Run

if TYPE_CHECKING:
    from psycopg import AsyncConnection

    from quartet.kernel.service import Kernel

log = logging.getLogger("quartet.leader")

CHECK_SECONDS = 2.0
LOCK_STATEMENT = "SELECT pg_advisory_lock(hashtextextended(%s, 0))"
# TCP keepalive of the server side (the client side is in `postgres`): a machine that lost power or
# network is detected after 3 + 2 * 2 seconds.
SERVER_KEEPALIVE = "-c tcp_keepalives_idle=3 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=2"


def tasks_for_this_process(
    kernel: "Kernel[Any]", loops: Sequence[BackgroundTask]
) -> list[BackgroundTask]:
    """Return the tasks this process runs by its role; exclusive ones only while it leads."""
    settings = kernel.settings
    own_tasks = [task for task in loops if task.everywhere or settings.role != "web"]
    names = {task.exclusive: None for task in own_tasks if task.exclusive}
    tasks = [task for task in own_tasks if not task.exclusive]
    for name in names:
        leader = Leader(settings.database_url, f"{kernel.service} {name}")
        tasks += leader.loops([task for task in own_tasks if task.exclusive == name])
    return tasks


class Leader:
    """Holds a PostgreSQL advisory lock while it leads; on SQLite it always leads."""

    def __init__(self, url: str | None, name: str) -> None:
        self._url, self._name = url, name
        self._leads = asyncio.Event()
        self._lost = asyncio.Event()
        if url is None:
            self._leads.set()

    @property
    def leads(self) -> bool:
        return self._leads.is_set()

    def loops(self, loops: Iterable[BackgroundTask]) -> list[BackgroundTask]:
        """Wrap tasks so that they run only while this process leads."""
        if self._url is None:
            return list(loops)
        lock_task = BackgroundTask(f"leader {self._name}", self._hold_lock, restart_on_return=True)
        return [
            lock_task,
            *(replace(task, run=self._only_while_leading(task.run)) for task in loops),
        ]

    def _only_while_leading(self, run: Run) -> Run:
        async def run_while_leading() -> None:
            while not await self._run_until_lost(run):
                log.info("lost leadership of %s", self._name)

        return run_while_leading

    async def _run_until_lost(self, run: Run) -> bool:
        """Return whether `run` finished; False if the leadership was lost."""
        await self._leads.wait()
        work, lost = asyncio.ensure_future(run()), asyncio.ensure_future(self._lost.wait())
        try:
            await asyncio.wait([work, lost], return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                work.result()
            return work.done()
        finally:
            for task in (work, lost):
                task.cancel()
            await asyncio.gather(work, lost, return_exceptions=True)

    async def _hold_lock(self) -> None:
        from psycopg import OperationalError

        try:
            await self._lead()
        except OperationalError as error:
            # An outage that the database has reported; a trace for each attempt would hide it.
            raise AppError(503, "database_unavailable", seconds=CHECK_SECONDS) from error

    async def _lead(self) -> None:
        from psycopg import AsyncConnection

        conn = await AsyncConnection.connect(
            plain_address(str(self._url)),
            autocommit=True,
            options=SERVER_KEEPALIVE,
            # Shows in pg_stat_activity which process leads.
            application_name=f"{gethostname()}-{os.getpid()}",
        )
        async with conn:
            await conn.execute(LOCK_STATEMENT, [f"quartet {self._name}"])
            log.info("leading %s", self._name)
            self._lost.clear()
            self._leads.set()
            try:
                await _check_connection(conn)
            finally:
                self._leads.clear()
                self._lost.set()


async def _check_connection(conn: "AsyncConnection[tuple[object, ...]]") -> Never:
    """Check the connection periodically; the lock is lost if it fails."""
    while True:
        await asyncio.sleep(CHECK_SECONDS)
        await asyncio.wait_for(conn.execute("SELECT 1"), CHECK_SECONDS)
