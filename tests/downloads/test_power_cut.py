"""The machine goes down before the disk has confirmed a finished file."""

import asyncio
import errno
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from quartet.downloads import transfer
from quartet.downloads.queue.finish import done_folder, fsync
from tests.client import Client
from tests.downloads.api_calls import add, until, until_all
from tests.downloads.conftest import logged_in
from tests.downloads.server import FileServer
from tests.downloads.test_races import Hold

pytestmark = pytest.mark.anyio

DATA = b"whole" * 10_000


@pytest.fixture(autouse=True)
def one_start_of_the_machine() -> Iterator[None]:
    yield
    fsync.this_boot.cache_clear()


def rows(client: Client, query: str) -> list[Any]:
    with client.started.kernel.db.engine.connect() as conn:
        return [row[0] for row in conn.exec_driver_sql(query)]


async def when(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not true():
            await asyncio.sleep(0.02)


async def another_boot(client: Client) -> None:
    """Pretend that the files were moved before the last boot."""

    def forget(tx: Any) -> None:
        tx.conn.exec_driver_sql("UPDATE downloads SET unsynced = 'an earlier one'")

    await client.started.kernel.db.write(forget)


async def test_finished_files_are_synced(ada: Client, server: FileServer) -> None:
    await add(ada, server.put("a.bin", DATA), start=True)
    await until_all(ada, "finished")
    await when(lambda: rows(ada, "SELECT unsynced FROM downloads") == [None])


async def test_unconfirmed_files_are_fetched_again(tmp_path: Path, server: FileServer) -> None:
    async with logged_in(tmp_path) as ada:
        await add(ada, server.put("a.bin", DATA), server.put("b.bin", DATA), start=True)
        shown = await until_all(ada, "finished")
        await when(lambda: rows(ada, "SELECT unsynced FROM downloads") == [None, None])
        await another_boot(ada)
    # The first file was never really written; the second one was moved away by the user.
    first, second = (tmp_path / "done" / each["file"] for each in shown)
    first.write_bytes(bytes(len(DATA)))
    second.unlink()
    async with logged_in(tmp_path) as ada:
        await until(ada, lambda all: len(server.requests) == 3)
        await until_all(ada, "finished")
        assert first.read_bytes() == DATA
        assert not second.exists()


async def test_file_with_sync_error_is_fetched_again(
    tmp_path: Path, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = iter([OSError(errno.EIO, "the disk is broken")])

    def fdatasync(_file: int) -> None:
        for failure in failures:
            raise failure

    monkeypatch.setattr("quartet.downloads.queue.finish.fsync.os.fdatasync", fdatasync)
    async with logged_in(tmp_path) as ada:
        await add(ada, server.put("a.bin", DATA), start=True)
        await until(ada, lambda all: len(server.requests) == 2)
        [shown] = await until_all(ada, "finished")
        assert (tmp_path / "done" / shown["file"]).read_bytes() == DATA


async def test_moved_but_unfinished_file_is_fetched_again(
    tmp_path: Path, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, found = tmp_path / "left", tmp_path / "found"
    hold, forget = Hold(), transfer.remove_checkpoint

    def held(part: Path) -> None:
        hold.in_thread()
        forget(part)

    monkeypatch.setattr(done_folder, "remove_checkpoint", held)
    async with logged_in(left) as ada:
        await add(ada, server.put("a.bin", DATA), packageName="P", start=True)
        await hold.reached.wait()
        # The state of the disk if the machine goes down right after the move.
        await asyncio.to_thread(shutil.copytree, left, found)
        hold.go.set()
        await until_all(ada, "finished")
    file = found / "done" / "P" / "a.bin"
    assert file.read_bytes() == DATA
    file.write_bytes(bytes(len(DATA)))
    start_the_machine_again(tmp_path, monkeypatch)
    async with logged_in(found) as ada:
        [shown] = await until_all(ada, "finished")
        await when(lambda: rows(ada, "SELECT unsynced FROM downloads") == [None])
    assert shown["file"] == "P/a.bin"
    assert file.read_bytes() == DATA


def start_the_machine_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "boot").write_text("another one")
    monkeypatch.setattr(fsync, "_BOOT", folder / "boot")
    fsync.this_boot.cache_clear()
