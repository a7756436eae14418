"""One of several processes leads; another takes over when it dies."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
import pytest

from quartet.kernel.leader import Leader
from quartet.kernel.supervisor import BackgroundTask, Supervisor

pytestmark = pytest.mark.anyio

HOLDER = """
import asyncio, sys
from quartet.kernel.leader import Leader
from quartet.kernel.supervisor import BackgroundTask, Supervisor

async def main():
    async def work():
        print("works", flush=True)
        await asyncio.sleep(600)
    await Supervisor().start(Leader(sys.argv[1], "hub").loops([BackgroundTask("work", work)]))
    await asyncio.sleep(600)

asyncio.run(main())
"""


class Worker:
    def __init__(self, url: str | None) -> None:
        self.leader = Leader(url, "hub")
        self.working = asyncio.Event()
        self.stopped = asyncio.Event()

    async def _work(self) -> None:
        self.working.set()
        try:
            await asyncio.sleep(600)
        finally:
            self.working.clear()
            self.stopped.set()

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator["Worker"]:
        supervisor = Supervisor()
        await supervisor.start(self.leader.loops([BackgroundTask("work", self._work)]))
        try:
            yield self
        finally:
            await supervisor.stop()


async def test_process_on_sqlite_always_leads() -> None:
    async with Worker(None)() as worker:
        await asyncio.wait_for(worker.working.wait(), 60)
        assert worker.leader.leads


async def test_database_url_may_name_driver(postgres_url: str) -> None:
    """The database itself accepts such URLs too."""
    named = postgres_url.replace("postgresql://", "postgresql+psycopg://")
    async with Worker(named)() as worker:
        await asyncio.wait_for(worker.working.wait(), 60)


async def test_next_process_takes_over_leadership(postgres_url: str) -> None:
    first, second = Worker(postgres_url), Worker(postgres_url)
    async with second():
        async with first():
            await asyncio.wait(
                [asyncio.ensure_future(each.working.wait()) for each in (first, second)],
                return_when=asyncio.FIRST_COMPLETED,
            )
            leading, waiting = (first, second) if first.working.is_set() else (second, first)
            assert not waiting.leader.leads
        if leading is first:
            await asyncio.wait_for(second.working.wait(), 60)


async def test_tasks_stop_when_leadership_is_lost(postgres_url: str) -> None:
    async with Worker(postgres_url)() as worker:
        await asyncio.wait_for(worker.working.wait(), 60)
        with psycopg.connect(postgres_url, autocommit=True) as other:
            other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
            )
        await asyncio.wait_for(worker.stopped.wait(), 60)
        await asyncio.wait_for(worker.working.wait(), 60)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
async def test_leadership_of_killed_process_is_taken_over(
    postgres_url: str, number: signal.Signals
) -> None:
    command = [sys.executable, "-c", HOLDER, postgres_url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert await asyncio.to_thread(holder.stdout.readline) == "works\n"
        async with Worker(postgres_url)() as worker:
            os.kill(holder.pid, number)
            await asyncio.wait_for(worker.working.wait(), 60)
