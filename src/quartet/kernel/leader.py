"""What only one of several processes may do at a time."""

import asyncio
import logging
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from socket import gethostname
from typing import TYPE_CHECKING, Any, Never

from quartet.kernel.postgres import plain_address
from quartet.kernel.supervisor import BackgroundTask, Run

if TYPE_CHECKING:
    from psycopg import AsyncConnection

    from quartet.kernel.service import Kernel

log = logging.getLogger("quartet.leader")

BEAT_SECONDS = 2.0
TAKE = "SELECT pg_advisory_lock(hashtextextended(%s, 0))"
# Each side asks a silent other one for a sign of life (ours: see `postgres`): a machine that lost
# its power or its network is found out after three plus two times two seconds.
ASKED_BY_SERVER = "-c tcp_keepalives_idle=3 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=2"


def tasks_for_this_process(
    kernel: "Kernel[Any]", loops: Sequence[BackgroundTask]
) -> list[BackgroundTask]:
    """Those that this process runs by its role; of some, only while it leads."""
    settings = kernel.settings
    mine = [loop for loop in loops if loop.everywhere or settings.role != "web"]
    names = {loop.exclusive: None for loop in mine if loop.exclusive}
    found = [loop for loop in mine if not loop.exclusive]
    for name in names:
        leader = Leader(settings.database_url, f"{kernel.service} {name}")
        found += leader.loops([loop for loop in mine if loop.exclusive == name])
    return found


class Leader:
    """Holds a lock of PostgreSQL's for as long as it lives; alone on SQLite, it always leads."""

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
        """The same loops, each of which runs only while this process leads."""
        if self._url is None:
            return list(loops)
        keeping = BackgroundTask(f"leader {self._name}", self._keep, restart_on_return=True)
        return [keeping, *(replace(loop, run=self._only(loop.run)) for loop in loops)]

    def _only(self, run: Run) -> Run:
        async def only() -> None:
            while not await self._until_lost(run):
                log.info("leads %s no more", self._name)

        return only

    async def _until_lost(self, run: Run) -> bool:
        """Whether it came to its own end."""
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

    async def _keep(self) -> None:
        from psycopg import AsyncConnection

        conn = await AsyncConnection.connect(
            plain_address(str(self._url)),
            autocommit=True,
            options=ASKED_BY_SERVER,
            # Whoever looks into PostgreSQL sees which process leads.
            application_name=f"{gethostname()}-{os.getpid()}",
        )
        async with conn:
            await conn.execute(TAKE, [f"quartet {self._name}"])
            log.info("leads %s", self._name)
            self._lost.clear()
            self._leads.set()
            try:
                await _beat(conn)
            finally:
                self._leads.clear()
                self._lost.set()


async def _beat(conn: "AsyncConnection[tuple[object, ...]]") -> Never:
    """Fails when the connection does, and with it the lock is gone."""
    while True:
        await asyncio.sleep(BEAT_SECONDS)
        await asyncio.wait_for(conn.execute("SELECT 1"), BEAT_SECONDS)
