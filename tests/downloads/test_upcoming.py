"""Reading ahead gives the same downloads as asking each time."""

import asyncio
import hashlib
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import insert

from quartet.downloads.app import SERVICE
from quartet.downloads.packages.tables import downloads, packages
from quartet.downloads.queue.scheduler import store as scheduler_store
from quartet.downloads.queue.scheduler.free_slots import Slots
from quartet.downloads.queue.scheduler.upcoming import UpcomingDownloads
from quartet.downloads.queue.types import ClaimedDownload
from quartet.kernel.db import Database, Tx, open_database
from tests.client import Client
from tests.databases import put_empty_database
from tests.downloads.api_calls import act, add, until, until_all
from tests.downloads.plugins import LINK, plugin_text, put_plugin
from tests.downloads.server import FileServer
from tests.rounds import examples

NOW = 1_700_000_000_000


class Queued(NamedTuple):
    package: int
    priority: int
    host: str


class Round(NamedTuple):
    """The number of free slots, and how many running downloads end before."""

    free: int
    ended: int


QUEUED = st.builds(Queued, st.integers(1, 3), st.integers(-1, 1), st.sampled_from("abc"))
ROUNDS = st.lists(st.builds(Round, st.integers(1, 4), st.integers(0, 3)), max_size=8)


@settings(max_examples=examples(40))
@given(st.lists(QUEUED, max_size=20), ROUNDS, st.integers(0, 2), st.integers(1, 6))
def test_reading_ahead_does_not_change_order(
    queued: list[Queued], rounds: list[Round], per_host: int, ahead: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        put_empty_database(Path(folder), SERVICE.history)
        db = open_database(Path(folder), "downloads", None)
        try:
            fill(db, queued)
            asyncio.run(compare(db, queued, rounds, per_host, ahead))
        finally:
            db.close()


async def compare(
    db: Database, queued: list[Queued], rounds: list[Round], per_host: int, ahead: int
) -> None:
    upcoming = UpcomingDownloads(db, ahead)
    waiting = dict(enumerate(queued, 1))
    running: dict[int, str] = {}
    for free, ended in rounds:
        for id in list(running)[:ended]:
            del running[id]
        slots = Slots(free, per_host, Counter(running.values()), frozenset(running))
        picked = await upcoming.pick(slots, NOW)
        assert [item.id for item in picked] == expected(waiting, slots)
        await db.write(claim, picked)
        running |= {item.id: item.host for item in picked}
        waiting = {id: each for id, each in waiting.items() if id not in running}


def claim(tx: Tx, picked: list[ClaimedDownload]) -> None:
    assert scheduler_store.claim(tx.conn, picked) == picked


def expected(waiting: dict[int, Queued], slots: Slots) -> list[int]:
    busy, picked = Counter(slots.busy), list[int]()
    in_order = sorted(waiting, key=lambda id: (-waiting[id].priority, waiting[id].package, id))
    for id in in_order:
        host = waiting[id].host
        if len(picked) < slots.free and (not slots.per_host or busy[host] < slots.per_host):
            busy[host] += 1
            picked.append(id)
    return picked


PACKAGE = {"source": "web", "passwords": [], "priority": 0, "speed_limit_kib": 0}
DOWNLOAD = {"online": "online", "check_wanted": False, "bytes_done": 0, "attempts": 0}


def fill(db: Database, queued: list[Queued]) -> None:
    def work(tx: Tx) -> None:
        for id in (1, 2, 3):
            own = {"id": id, "name": str(id), "target_dir": str(id), "position": id}
            row = {**PACKAGE, **own, "collector": False, "created_at": NOW}
            tx.conn.execute(insert(packages).values(row))
        for id, each in enumerate(queued, 1):
            own = {"id": id, "name": str(id), "url": f"http://{each.host}/{id}", "position": id}
            place = {"package_id": each.package, "host": each.host, "priority": each.priority}
            row = {**DOWNLOAD, **own, **place, "status": "queued", "created_at": NOW}
            tx.conn.execute(insert(downloads).values({**row, "speed_limit_kib": 0}))

    db.write_sync(work)


async def one_at_a_time(client: Client, server: FileServer, *links: str) -> int:
    """Start downloads one at a time; the first is blocked and the rest is read ahead."""
    answer = await client.put("/api/settings", json={"maxParallel": 1})
    assert answer.status_code == 200, answer.text
    server.answering.clear()
    blocked = [server.put(name, b"x") for name in ("1.bin", "2.bin")]
    package = await add(client, *blocked, *links, packageName="A", start=True)
    await server.waiting.wait()
    return package


async def next_one(server: FileServer) -> None:
    """Release exactly one response."""
    server.waiting.clear()
    server.answering.set()
    server.answering.clear()
    await server.waiting.wait()


@pytest.mark.anyio
async def test_package_moved_to_front_starts_first(ada: Client, server: FileServer) -> None:
    first = await one_at_a_time(ada, server, server.put("3.bin", b"x"))
    second = await add(ada, server.put("b.bin", b"x"), packageName="B", start=True)
    await next_one(server)
    await act(ada, "/api/packages/order", json={"ids": [second, first]})
    server.answering.set()
    await until_all(ada, "finished")
    assert [each.split()[1] for each in server.requests] == ["1.bin", "2.bin", "b.bin", "3.bin"]


@pytest.mark.anyio
async def test_result_of_check_is_used(ada: Client, server: FileServer, tmp_path: Path) -> None:
    sha = hashlib.sha256(b"data").hexdigest()
    body = f"""
        async def check(self, link, ctx):
            return Checked(True, hash=Hash("sha256", {sha!r}))

        async def resolve(self, link, ctx):
            return File({server.put("data", b"data")!r})
    """
    put_plugin(tmp_path, plugin_text(body))
    package = await one_at_a_time(ada, server, LINK)
    await next_one(server)
    await act(ada, f"/api/packages/{package}/check")
    await until(ada, lambda all: all[2]["hashType"] == "sha256")
    server.answering.set()
    shown = await until_all(ada, "finished")
    assert shown[2]["hashOk"] is True
