"""Replaced files and junk."""

import asyncio
import os
from contextlib import suppress
from pathlib import Path
from typing import Literal

import pytest

from quartet.kernel.errors import AppError
from quartet.media.history.backups import Backups
from tests.media.history_harness import history_harness_at

pytestmark = pytest.mark.anyio


async def test_backups_are_listed_and_deleted(tmp_path: Path) -> None:
    async with history_harness_at(tmp_path) as harness:
        await harness.move_with_backups()
        page = (await harness.client.get("/api/backups")).json()
        assert [(one["kind"], one["size"]) for one in page["backups"]] == [
            ("junk", 4),
            ("replaced", 3),
        ]
        for one in page["backups"]:
            assert Path(one["path"]).exists() and (one["expiresAt"] is None) == (
                one["kind"] == "replaced"
            )
            assert (await harness.client.delete(f"/api/backups/{one['id']}")).status_code == 204
            assert not Path(one["path"]).exists()
            path = f"/api/backups/{one['id']}"
            assert await harness.client.code("DELETE", path) == (404, "not_found")
        assert (await harness.client.get("/api/backups")).json()["backups"] == []
        assert await harness.undo(jobId=1) == (2, [])


async def test_old_backups_are_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with history_harness_at(tmp_path, backup_days=30) as harness:
        (harness.library / "new").mkdir()
        (harness.library / "new" / "a.mkv").write_text("old")
        await harness.move("a.mkv", job_id=1, on_conflict="overwrite")
        backups: Backups = harness.given("backups")
        await backups.expire()
        (kept,) = (await harness.client.get("/api/backups")).json()["backups"]
        monkeypatch.setattr("quartet.media.history.backups.now_ms", lambda: kept["expiresAt"] + 1)
        await backups.expire()
        assert (await harness.client.get("/api/backups")).json()["backups"] == []
        assert os.listdir(harness.library / "new") == ["a.mkv"]  # noqa: PTH208


async def test_junk_is_deleted_after_a_month_and_replaced_files_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with history_harness_at(tmp_path) as harness:
        await harness.move_with_backups()
        backups: Backups = harness.given("backups")
        junk, kept = (await harness.client.get("/api/backups")).json()["backups"]
        assert junk["expiresAt"] == junk["executedAt"] + 30 * 24 * 3600 * 1000
        await backups.expire()
        assert Path(junk["path"]).exists()
        monkeypatch.setattr("quartet.media.history.backups.now_ms", lambda: junk["expiresAt"] + 1)
        await backups.expire()
        assert (await harness.client.get("/api/backups")).json()["backups"] == [kept]
        assert not Path(junk["path"]).parent.exists()
        # Undo restores everything else.
        assert await harness.undo(jobId=1) == (2, [])
        assert (harness.library / "new" / "a.mkv").read_text() == "old"


async def test_chosen_backups_are_deleted_at_once(tmp_path: Path) -> None:
    async with history_harness_at(tmp_path) as harness:
        await harness.move_with_backups()
        paths = [
            (one["id"], Path(one["path"]))
            for one in (await harness.client.get("/api/backups")).json()["backups"]
        ]
        body = {"ids": [*(id for id, _ in paths), 999]}
        answer = await harness.client.post("/api/backups/delete", json=body)
        assert answer.json() == {"deleted": 2, "failed": []}
        assert not any(path.exists() for _, path in paths)


class CountingLock(asyncio.Lock):
    """Counts every attempt to acquire it."""

    def __init__(self) -> None:
        super().__init__()
        self.requests = asyncio.Semaphore(0)

    async def acquire(self) -> Literal[True]:
        self.requests.release()
        return await super().acquire()


@pytest.mark.parametrize("how", ["asked", "old"])
async def test_backup_restored_by_earlier_undo_is_not_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    async with history_harness_at(tmp_path, backup_days=30) as harness:
        (harness.library / "new").mkdir()
        (harness.library / "new" / "a.mkv").write_text("old")
        await harness.move("a.mkv", job_id=1, on_conflict="overwrite")
        (kept,) = (await harness.client.get("/api/backups")).json()["backups"]
        monkeypatch.setattr("quartet.media.history.backups.now_ms", lambda: kept["expiresAt"] + 1)
        lock = CountingLock()
        monkeypatch.setattr(harness.given("moves"), "_lock", lock)
        backups: Backups = harness.given("backups")
        async with lock:  # a long operation runs, and an undo waits before us
            await lock.requests.acquire()
            undo = asyncio.create_task(harness.undo(jobId=1))
            await lock.requests.acquire()
            delete = backups.delete(kept["id"]) if how == "asked" else backups.expire()
            ours = asyncio.create_task(delete)
            await lock.requests.acquire()
        assert await undo == (1, [])
        with suppress(AppError):
            await ours
        assert await harness.history() == []
        assert (harness.library / "new" / "a.mkv").read_text() == "old"
