"""The two queues of jobs: what looks, and what touches files."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from quartet.kernel.db import Database
from quartet.kernel.errors import problem_of
from quartet.media.jobs import store
from quartet.media.jobs.analysis import Stopped
from quartet.media.jobs.ending import Ending
from quartet.media.jobs.rows import JobRow
from quartet.media.jobs.types import JobStatus

log = logging.getLogger("quartet.media.jobs")

Handle = Callable[[JobRow], Awaitable[None]]


class Lane:
    """The queue itself is the database, so that a restart forgets nothing."""

    def __init__(self, db: Database, takes: JobStatus, handle: Handle, ending: Ending) -> None:
        self._db = db
        self._takes = takes
        self._handle = handle
        self._ending = ending
        self._awake = asyncio.Event()

    def wake(self) -> None:
        self._awake.set()

    async def run(self) -> None:
        while True:
            self._awake.clear()
            job = await self._db.read(store.oldest, self._takes)
            if job is None:
                await self._awake.wait()
            elif await self._claim(job):
                await self._one(job)

    async def _claim(self, job: JobRow) -> bool:
        """Unless it was cancelled just now."""
        looks: JobStatus = "scanning" if job.begin == "scan" else "matching"
        job.status = looks if self._takes == "pending" else "executing"
        return await self._db.write(
            lambda tx: store.turn(tx.conn, job.id, [self._takes], job.status)
        )

    async def _one(self, job: JobRow) -> None:
        try:
            await self._handle(job)
        except Stopped:
            await self._ending.cancelled(job)
        except Exception as error:
            log.warning("job %d failed: %s", job.id, error, exc_info=_unexpected(error))
            await self._ending.failed(job, problem_of(error))


def _unexpected(error: Exception) -> Exception | None:
    return error if problem_of(error).code == "internal" else None
