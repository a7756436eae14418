"""Statistics about the queue and the disks."""

from pathlib import Path

import pytest

from tests.client import Client
from tests.downloads.api_calls import act, add, until, until_all
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio


async def test_stats_of_empty_queue(ada: Client, tmp_path: Path) -> None:
    stats = (await ada.get("/api/stats")).json()
    storage = stats.pop("storage")
    assert stats == {
        "active": 0, "slots": 3, "connectionsPerFile": 4, "speed": 0, "speedLimitKib": 0,
        "pausedBySchedule": False,
        "pausedUntil": None, "stopsAfter": None,
        "collected": 0, "queued": 0, "queuedBytes": 0, "paused": 0, "finished": 0, "failed": 0,
        "finishedToday": 0, "finishedTodayBytes": 0, "premium": [],
    }  # fmt: skip
    assert [(each["label"], each["path"]) for each in storage] == [
        ("tmp", str(tmp_path / "tmp")),
        ("done", str(tmp_path / "done")),
    ]
    assert all(each["total"] > each["free"] > 0 for each in storage)


async def test_stats_of_queued_active_and_finished_downloads(
    ada: Client, server: FileServer
) -> None:
    await add(ada, server.put("done.bin", b"x" * 500), start=True)
    await until_all(ada, "finished")
    server.open.clear()
    server.chunks_before_waiting = 0
    for number in range(5):
        server.put(f"{number}.bin", b"x" * 1000)
    package = await add(ada, *(server.url(f"{number}.bin") for number in range(5)))
    await until(ada, lambda all: [each["size"] for each in all].count(1000) == 5)
    await act(ada, f"/api/packages/{package}/start")
    await until(ada, lambda all: [each["status"] for each in all].count("downloading") == 3)
    stats = (await ada.get("/api/stats")).json()
    assert (stats["active"], stats["queued"], stats["queuedBytes"]) == (3, 2, 2000)
    assert (stats["finishedToday"], stats["finishedTodayBytes"]) == (1, 500)
    server.open.set()
    await until_all(ada, "finished")


async def test_removed_downloads_count_as_finished_today(ada: Client, server: FileServer) -> None:
    package = await add(ada, server.put("done.bin", b"x" * 500), start=True)
    await until_all(ada, "finished")
    await act(ada, f"/api/packages/{package}", "DELETE")
    stats = (await ada.get("/api/stats")).json()
    assert (stats["finished"], stats["finishedToday"], stats["finishedTodayBytes"]) == (0, 1, 500)
    # Without the history, the downloads in the queue count.
    await act(ada, "/api/history", "DELETE")
    await ada.put("/api/settings", json={"historyDays": 0})
    await add(ada, server.put("other.bin", b"x" * 300), start=True)
    await until_all(ada, "finished")
    stats = (await ada.get("/api/stats")).json()
    assert (stats["finishedToday"], stats["finishedTodayBytes"]) == (1, 300)


async def test_offline_link_of_started_package_is_not_collected(
    ada: Client, server: FileServer
) -> None:
    package = await add(ada, server.url("gone.bin"), server.put("here.bin", b"x"))
    await until(ada, lambda all: {each["online"] for each in all} == {"online", "offline"})
    assert (await ada.get("/api/stats")).json()["collected"] == 2
    await act(ada, f"/api/packages/{package}/start")
    assert (await ada.get("/api/stats")).json()["collected"] == 0
