"""Pausing, resuming and deleting at critical moments."""

import asyncio
import hashlib
import os
import random
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quartet.downloads import transfer
from quartet.downloads.queue.download_task import DownloadTask
from quartet.downloads.queue.finish import done_folder
from quartet.downloads.queue.finish.done_folder import DoneFolder
from quartet.downloads.queue.finish.post_download import Verifier
from quartet.downloads.queue.queue_services import QueueServices
from quartet.downloads.queue.scheduler.claims import Claims
from quartet.downloads.queue.scheduler.scheduler import Scheduler
from quartet.downloads.queue.types import ClaimedDownload, FileSource
from tests.client import Client
from tests.downloads.api_calls import act, add, downloads, until, until_all
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio

DATA = random.Random(1).randbytes(600_000)


async def nothing_left(data: Path) -> None:
    """Wait until all files are removed, which happens shortly after the row."""
    async with asyncio.timeout(60):
        while [path for path in (data / "tmp").glob("*")] or done(data):
            await asyncio.sleep(0.01)


def done(data: Path) -> list[Path]:
    # glob fails if a folder is removed in between.
    walk = os.walk(data / "done")
    return [Path(folder, name) for folder, _, names in walk for name in names]


class Hold:
    """Blocks a step in a thread or in the event loop until it is released."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.go = asyncio.Event()
        self.loop = asyncio.get_running_loop()

    def in_thread(self) -> None:
        asyncio.run_coroutine_threadsafe(self.on_loop(), self.loop).result(20)

    async def on_loop(self) -> None:
        self.reached.set()
        await self.go.wait()


Prepare = Callable[[FileServer, Hold, pytest.MonkeyPatch], None]


def while_fetching(server: FileServer, hold: Hold, _patch: pytest.MonkeyPatch) -> None:
    server.open, server.waiting = hold.go, hold.reached


def while_asking(server: FileServer, hold: Hold, _patch: pytest.MonkeyPatch) -> None:
    server.answering, server.waiting = hold.go, hold.reached


def before_claiming(_server: FileServer, hold: Hold, patch: pytest.MonkeyPatch) -> None:
    before = Claims.flush

    def flush(self: Claims) -> None:
        if hold.go.is_set():
            before(self)
            return
        hold.reached.set()
        hold.loop.call_later(0.01, flush, self)

    patch.setattr(Claims, "flush", flush)


def while_resolving(_server: FileServer, hold: Hold, patch: pytest.MonkeyPatch) -> None:
    async def resolve(item: ClaimedDownload, _on_waiting: object) -> FileSource:
        await hold.on_loop()
        return FileSource(item.url)

    before = DownloadTask.__init__

    def init(
        self: DownloadTask,
        item: ClaimedDownload,
        services: QueueServices,
        *given: Any,
        **named: Any,
    ) -> None:
        before(self, item, replace(services, resolve=resolve), *given, **named)

    patch.setattr(DownloadTask, "__init__", init)


def while_hashing(server: FileServer, hold: Hold, patch: pytest.MonkeyPatch) -> None:
    before = Verifier.matches

    async def matches(self: Verifier, *given: object) -> bool:
        await hold.on_loop()
        return await before(self, *given)  # type: ignore[arg-type]

    patch.setattr(Verifier, "matches", matches)


def before_moving(server: FileServer, hold: Hold, patch: pytest.MonkeyPatch) -> None:
    before = DoneFolder.free_path

    def free_path(self: DoneFolder, *given: Any) -> str:
        hold.in_thread()
        return before(self, *given)

    patch.setattr(DoneFolder, "free_path", free_path)


def while_moving(server: FileServer, hold: Hold, patch: pytest.MonkeyPatch) -> None:
    before = DoneFolder.rename_in

    def rename_in(self: DoneFolder, *given: object) -> bool:
        hold.in_thread()
        return before(self, *given)  # type: ignore[arg-type]

    patch.setattr(DoneFolder, "rename_in", rename_in)


def after_moving(server: FileServer, hold: Hold, patch: pytest.MonkeyPatch) -> None:
    before = transfer.remove_checkpoint

    def forget(part: Path) -> None:
        hold.in_thread()
        before(part)

    patch.setattr(done_folder, "remove_checkpoint", forget)


MOMENTS: list[Prepare] = [
    before_claiming,
    while_resolving,
    while_asking,
    while_fetching,
    while_hashing,
    before_moving,
    while_moving,
    after_moving,
]


async def begin(
    client: Client, server: FileServer, prepare: Prepare, patch: pytest.MonkeyPatch
) -> tuple[Hold, int]:
    """Start a download that is blocked at this moment."""
    sums = f"{hashlib.md5(DATA).hexdigest()}  x.bin"
    await add(client, server.put("x.md5", sums.encode()), packageName="P", start=True)
    [first] = await until_all(client, "finished")
    hold = Hold()
    server.chunks_before_waiting = 1
    prepare(server, hold, patch)
    package = await add(client, server.put("x.bin", DATA), packageName="P")
    await join(client, first["packageId"], package)
    await act(client, f"/api/packages/{package}/start")
    async with asyncio.timeout(60):
        await hold.reached.wait()
    [download] = [each for each in await downloads(client) if each["name"] == "x.bin"]
    return hold, download["id"]


async def join(client: Client, first: int, second: int) -> None:
    """Move the checksum list into the same package."""
    await client.started.kernel.db.write(
        lambda tx: tx.conn.exec_driver_sql(
            f"UPDATE downloads SET package_id = {second} WHERE package_id = {first}"
        )
    )


@pytest.mark.parametrize("moment", MOMENTS)
async def test_deleted_download_leaves_nothing(
    ada: Client,
    server: FileServer,
    tmp_path: Path,
    moment: Prepare,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hold, id = await begin(ada, server, moment, monkeypatch)
    await act(ada, f"/api/downloads/{id}", "DELETE")
    await act(ada, "/api/downloads/clear-finished")
    hold.go.set()
    for file in done(tmp_path):
        if file.name == "x.md5":
            file.unlink()
    await nothing_left(tmp_path)
    assert await downloads(ada) == []


@pytest.mark.parametrize("moment", MOMENTS)
async def test_paused_download_stays_paused_and_resumes(
    ada: Client,
    server: FileServer,
    tmp_path: Path,
    moment: Prepare,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hold, id = await begin(ada, server, moment, monkeypatch)
    await act(ada, f"/api/downloads/{id}/pause")
    [download] = [each for each in await downloads(ada) if each["id"] == id]
    too_late = moment in (while_moving, after_moving)
    assert download["status"] == ("downloading" if too_late else "paused")
    hold.go.set()
    if not too_late:
        # Resumed at once, while the old task may still be ending.
        await act(ada, f"/api/downloads/{id}/resume")
    await until_all(ada, "finished")
    assert (tmp_path / "done" / "P" / "x.bin").read_bytes() == DATA
    assert sorted(path.name for path in done(tmp_path)) == ["x.bin", "x.md5"]
    assert list((tmp_path / "tmp").glob("*")) == []


async def test_many_quick_pauses_and_resumes(
    ada: Client, server: FileServer, tmp_path: Path
) -> None:
    """Many quick changes to several downloads end with complete files."""
    chance = random.Random(7)
    files = {f"{number}.bin": chance.randbytes(400_000) for number in range(6)}
    links = [server.put(name, data) for name, data in files.items()]
    package = await add(ada, *links, packageName="P", start=True)
    ids = [each["id"] for each in await downloads(ada)]
    for _ in range(80):
        verb = chance.choice(["pause", "resume"])
        path = chance.choice(
            [f"/api/downloads/{chance.choice(ids)}/{verb}", f"/api/packages/{package}/{verb}"]
        )
        await act(ada, path)
        await asyncio.sleep(chance.random() * 0.01)
    await act(ada, f"/api/packages/{package}/resume")
    shown = await until_all(ada, "finished")
    assert [each["id"] for each in shown] == ids
    for name, data in files.items():
        assert (tmp_path / "done" / "P" / name).read_bytes() == data
    assert len(done(tmp_path)) == len(files)
    assert list((tmp_path / "tmp").glob("*")) == []


async def test_package_deleted_while_downloading(
    ada: Client, server: FileServer, tmp_path: Path
) -> None:
    server.open.clear()
    links = [server.put(f"{number}.bin", DATA) for number in range(5)]
    package = await add(ada, *links, start=True)
    await until(ada, lambda all: [each["status"] for each in all].count("downloading") == 3)
    await act(ada, f"/api/packages/{package}", "DELETE")
    server.open.set()
    await nothing_left(tmp_path)
    assert await downloads(ada) == []


async def test_limited_package_is_slow_from_its_first_byte(
    ada: Client, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = await add(ada, server.put("slow.bin", DATA[:200_000]))
    await ada.patch(f"/api/packages/{package}", json={"speedLimitKib": 100})
    # The limits of all downloads are only set by the pass after the one that starts them.
    monkeypatch.setattr(Scheduler, "_share_limit", lambda *_: None)
    began = time.monotonic()
    await ada.post(f"/api/packages/{package}/start")
    await until_all(ada, "finished")
    assert time.monotonic() - began > 1
