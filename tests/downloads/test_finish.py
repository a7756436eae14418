"""The time between the last byte of a file and the update of the database."""

import asyncio
import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quartet.downloads.queue import failures
from quartet.downloads.queue.finish import store as finish_store
from quartet.downloads.queue.finish.done_folder import DoneFolder
from quartet.downloads.queue.scheduler import store as scheduler_store
from quartet.kernel.files import syscalls
from tests.client import Client
from tests.downloads.api_calls import act, add, until, until_all
from tests.downloads.server import FileServer
from tests.downloads.test_races import Hold

pytestmark = pytest.mark.anyio


def failing_once(before: Callable[..., Any]) -> Callable[..., Any]:
    """Fail once, as when a database is restarted."""
    failures = iter([ConnectionError("the connection was closed")])

    def act(*given: Any) -> Any:
        for failure in failures:
            raise failure
        return before(*given)

    return act


async def test_removed_folder_is_created_again(
    ada: Client, server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, folder = DoneFolder.rename_in, tmp_path / "done" / "P"
    attempts = iter([True])

    def rename_in(self: DoneFolder, *given: Any) -> bool:
        if next(attempts, False):
            shutil.rmtree(folder)
        return before(self, *given)

    monkeypatch.setattr(DoneFolder, "rename_in", rename_in)
    monkeypatch.setattr(failures, "FIRST_RETRY_SECONDS", 0.1)
    await add(ada, server.put("x.bin", b"x" * 1000), packageName="P", start=True)
    # Nothing else wakes the scheduler.
    [shown] = await until_all(ada, "finished")
    assert (folder / "x.bin").read_bytes() == b"x" * 1000
    assert shown["attempts"] == 1


async def test_moved_file_is_not_fetched_again(
    ada: Client, server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finish_store, "finish", failing_once(finish_store.finish))
    monkeypatch.setattr(failures, "FIRST_RETRY_SECONDS", 0.1)
    await add(ada, server.put("x.bin", b"x" * 1000), packageName="P", start=True)
    [shown] = await until_all(ada, "finished")
    assert shown["file"] == "P/x.bin"
    assert [each.name for each in (tmp_path / "done" / "P").iterdir()] == ["x.bin"]
    assert [each for each in server.requests if "x.bin" in each] == ["bytes=0- x.bin"]


async def test_failed_read_of_queue_is_repeated(
    ada: Client, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, looked = scheduler_store.snapshot, asyncio.Event()
    loop = asyncio.get_running_loop()

    def look(*given: Any) -> Any:
        loop.call_soon_threadsafe(looked.set)
        return before(*given)

    monkeypatch.setattr(scheduler_store, "snapshot", look)
    # Nothing is due after this read.
    await act(ada, "/api/downloads/resume-all")
    await looked.wait()
    monkeypatch.setattr(scheduler_store, "snapshot", failing_once(before))
    await add(ada, server.put("a.bin", b"a"), start=True)
    await until_all(ada, "finished")


async def test_failed_claim_is_repeated(
    ada: Client, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler_store, "claim", failing_once(scheduler_store.claim))
    await add(ada, server.put("a.bin", b"a"), start=True)
    await until_all(ada, "finished")


async def test_copied_file_does_not_delay_other_files(
    ada: Client, server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two mounts of one file system: the same disk, but files cannot be renamed across."""
    rename, move_in, hold = syscalls.renameat2, DoneFolder.move_in, Hold()

    def renameat2(folder: int, name: str, to: int, new: str, flags: int) -> None:
        if name.endswith(".part") and new == "far.bin":
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        rename(folder, name, to, new, flags)

    def held(self: DoneFolder, part: Path, file: str, *given: Any) -> bool:
        if file.endswith("far.bin"):
            hold.in_thread()
        return move_in(self, part, file, *given)

    monkeypatch.setattr(syscalls, "renameat2", renameat2)
    monkeypatch.setattr(DoneFolder, "move_in", held)
    await add(ada, server.put("far.bin", b"far"), packageName="P", start=True)
    await hold.reached.wait()
    await add(ada, server.put("near.bin", b"near"), packageName="P", start=True)
    await until(ada, lambda all: [each["status"] for each in all] == ["downloading", "finished"])
    hold.go.set()
    await until_all(ada, "finished")
    for name in ("far", "near"):
        assert (tmp_path / "done" / "P" / f"{name}.bin").read_bytes() == name.encode()
