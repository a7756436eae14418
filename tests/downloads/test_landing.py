"""The moment between the last byte of a file and the word that it is finished."""

import asyncio
import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quartet.downloads.queue import backoff, scheduler, store, store_arrivals, store_claims
from quartet.downloads.queue.finishing import DoneFolder
from quartet.kernel.files import syscalls
from tests.client import Client
from tests.downloads.server import FileServer
from tests.downloads.talk import act, add, until, until_all
from tests.downloads.test_races import Hold

pytestmark = pytest.mark.anyio


def failing_once(before: Callable[..., Any]) -> Callable[..., Any]:
    """As when a database is restarted."""
    failures = iter([ConnectionError("the connection was closed")])

    def act(*given: Any) -> Any:
        for failure in failures:
            raise failure
        return before(*given)

    return act


async def test_a_folder_that_goes_meanwhile_is_made_again(
    ada: Client, server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, folder = DoneFolder.take_near, tmp_path / "done" / "P"
    attempts = iter([True])

    def take_near(self: DoneFolder, part: Path, file: str) -> bool:
        if next(attempts, False):
            shutil.rmtree(folder)
        return before(self, part, file)

    monkeypatch.setattr(DoneFolder, "take_near", take_near)
    monkeypatch.setattr(backoff, "FIRST_SECONDS", 0.1)
    await add(ada, server.put("x.bin", b"x" * 1000), packageName="P", start=True)
    # Nobody else wakes the queue.
    [shown] = await until_all(ada, "finished")
    assert (folder / "x.bin").read_bytes() == b"x" * 1000
    assert shown["attempts"] == 1


async def test_a_file_that_is_there_is_not_fetched_again(
    ada: Client, server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_arrivals, "finish", failing_once(store_arrivals.finish))
    monkeypatch.setattr(backoff, "FIRST_SECONDS", 0.1)
    await add(ada, server.put("x.bin", b"x" * 1000), packageName="P", start=True)
    [shown] = await until_all(ada, "finished")
    assert shown["file"] == "P/x.bin"
    assert [each.name for each in (tmp_path / "done" / "P").iterdir()] == ["x.bin"]
    assert len(server.requests) == 1


async def test_after_a_look_that_failed_there_is_another(
    ada: Client, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, looked = store.look, asyncio.Event()
    loop = asyncio.get_running_loop()

    def look(*given: Any) -> Any:
        loop.call_soon_threadsafe(looked.set)
        return before(*given)

    monkeypatch.setattr(store, "look", look)
    # Since this look nothing is due.
    await act(ada, "/api/downloads/resume-all")
    await looked.wait()
    monkeypatch.setattr(store, "look", failing_once(before))
    await add(ada, server.put("a.bin", b"a"), start=True)
    await until_all(ada, "finished")


async def test_after_a_claim_that_failed_there_is_another(
    ada: Client, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "claim", failing_once(store_claims.claim))
    await add(ada, server.put("a.bin", b"a"), start=True)
    await until_all(ada, "finished")


async def test_nobody_waits_for_a_file_that_must_be_copied(
    ada: Client, server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two mounts of one file system: the same disk, but nothing can be renamed across."""
    rename, take, hold = syscalls.renameat2, DoneFolder.take, Hold()

    def renameat2(folder: int, name: str, to: int, new: str, flags: int) -> None:
        if name.endswith(".part") and new == "far.bin":
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        rename(folder, name, to, new, flags)

    def held(self: DoneFolder, part: Path, file: str, *given: Any) -> bool:
        if file.endswith("far.bin"):
            hold.in_thread()
        return take(self, part, file, *given)

    monkeypatch.setattr(syscalls, "renameat2", renameat2)
    monkeypatch.setattr(DoneFolder, "take", held)
    await add(ada, server.put("far.bin", b"far"), packageName="P", start=True)
    await hold.reached.wait()
    await add(ada, server.put("near.bin", b"near"), packageName="P", start=True)
    await until(ada, lambda all: [each["status"] for each in all] == ["downloading", "finished"])
    hold.go.set()
    await until_all(ada, "finished")
    for name in ("far", "near"):
        assert (tmp_path / "done" / "P" / f"{name}.bin").read_bytes() == name.encode()
