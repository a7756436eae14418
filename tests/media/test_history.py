"""History, undo and backups."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import pytest

from quartet.kernel.errors import AppError
from quartet.media.app import SERVICE
from quartet.media.history.backups import Backups
from quartet.media.moves.service import Moves
from quartet.media.moves.types import MoveReport, OnConflict, Operation, Plan, Step
from tests.client import Client, client_of
from tests.media.job_harness import job_harness_at

pytestmark = pytest.mark.anyio


class HistoryHarness:
    """A service with a download folder and a library."""

    def __init__(self, client: Client, base: Path) -> None:
        self.client = client
        self.downloads, self.library = base / "downloads", base / "library"

    def given(self, name: str) -> Any:
        return self.client.started.built.dependencies[name]

    async def move(
        self, *names: str, job_id: int | None = None, on_conflict: OnConflict = "skip"
    ) -> MoveReport:
        steps = []
        for number, name in enumerate(names):
            (self.downloads / name).write_bytes(b"new " + os.fsencode(name))
            source, target = str(self.downloads / name), str(self.library / "new" / name)
            steps.append(Step(source, target, number + 1, on_conflict=on_conflict))
        moves: Moves = self.given("moves")
        report = await moves.execute(Plan(tuple(steps), job_id))
        assert report.count("failed") == 0
        return report

    async def move_with_backups(self) -> None:
        """Replace a file, and remove a folder with junk."""
        (self.library / "new").mkdir()
        (self.library / "new" / "a.mkv").write_text("old")
        (self.downloads / "pack").mkdir()
        (self.downloads / "pack" / "Thumbs.db").write_text("junk")
        await self.move("a.mkv", "pack/b.mkv", job_id=1, on_conflict="overwrite")

    async def history(self, **params: Any) -> list[dict[str, Any]]:
        answer = await self.client.get("/api/history", params=params)
        entries: list[dict[str, Any]] = answer.json()["entries"]
        return entries

    async def undo(self, **selector: Any) -> tuple[int, list[str]]:
        answer = await self.client.post("/api/history/undo", json=selector)
        assert answer.status_code == 200, answer.text
        result = answer.json()
        return result["undone"], [one["code"] for one in result["failed"]]


@asynccontextmanager
async def history_harness_at(base: Path, **settings: Any) -> AsyncIterator[HistoryHarness]:
    async with client_of(SERVICE, base / "config", **settings) as client:
        harness = HistoryHarness(client, base)
        for path in (harness.downloads, harness.library):
            path.mkdir(exist_ok=True)
            await client.post("/api/folders", json={"path": str(path)})
        yield harness


async def test_history_is_listed_newest_first(tmp_path: Path) -> None:
    async with history_harness_at(tmp_path) as harness:
        await harness.move("a.mkv", "b.mkv", "100%_c.mkv", job_id=5)
        entries = await harness.history()
        assert [Path(one["target"]).name for one in entries] == ["100%_c.mkv", "b.mkv", "a.mkv"]
        assert {one["jobId"] for one in entries} == {5}
        assert len(await harness.history(q="NEW/B")) == 1
        assert len(await harness.history(q="0%_")) == 1
        assert await harness.history(q="nothing") == []
        first = (await harness.client.get("/api/history", params={"limit": 2})).json()
        # The page ends inside of the job, which is undone as a whole.
        whole = first["continued"]
        assert (whole["jobId"], whole["files"], whole["undoable"]) == (5, 3, 3)
        rest = await harness.history(cursor=first["cursor"])
        assert len(first["entries"]) == 2 and len(rest) == 1


async def test_original_source_of_moved_file_is_known(tmp_path: Path) -> None:
    async with history_harness_at(tmp_path) as harness:
        await harness.move("Film.1080p-GRP.mkv")
        moves: Moves = harness.given("moves")
        target = harness.library / "new" / "Film.1080p-GRP.mkv"
        assert await moves.original_source(str(target)) == str(
            harness.downloads / "Film.1080p-GRP.mkv"
        )
        assert await moves.original_source("/nowhere") is None


async def test_history_and_undo_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    long = "/".join(["x" * 200] * 16)
    async with history_harness_at(tmp_path, database_url=postgres_url) as harness:
        (harness.downloads / long).mkdir(parents=True)
        await harness.move("a.mkv", "b.mkv", f"{long}/c\udce9.mkv", job_id=1)
        assert len(await harness.history(q="A.MKV")) == 1
        assert await harness.undo(jobId=1) == (3, [])
        assert (harness.downloads / f"{long}/c\udce9.mkv").exists()
        assert list(harness.library.iterdir()) == []


async def test_undo_by_job_item_operation_and_time(tmp_path: Path) -> None:
    async with history_harness_at(tmp_path) as harness:
        await harness.move("a.mkv", "b.mkv", job_id=1)
        await harness.move("c.mkv", job_id=2)
        later = (await harness.history())[0]["executedAt"]
        assert await harness.undo(itemIds=[2]) == (1, [])
        assert (harness.downloads / "b.mkv").exists()
        assert await harness.undo(jobId=2) == (1, [])
        first = (await harness.history())[0]["id"]
        assert await harness.undo(operationIds=[first, 999]) == (1, ["nothing_to_undo"])
        assert await harness.history() == []
        assert len(await harness.history(includeUndone=True)) == 3
        assert not (harness.library / "new").exists()
        await harness.move("d.mkv")
        assert await harness.undo(since=later + 10**9) == (0, [])
        assert await harness.undo(since=later) == (1, [])


@pytest.mark.parametrize("body", [{}, {"jobId": 1, "since": 2}])
async def test_undo_needs_exactly_one_selector(tmp_path: Path, body: dict[str, int]) -> None:
    async with history_harness_at(tmp_path) as harness:
        got = await harness.client.code("POST", "/api/history/undo", json=body)
        assert got == (400, "one_selector")


async def test_undo_checks_every_file_first(tmp_path: Path) -> None:
    names = ("edited", "replaced", "gone", "taken", "backup", "fine")
    async with history_harness_at(tmp_path) as harness:
        (harness.library / "new").mkdir()
        (harness.library / "new" / "backup").write_text("old")
        await harness.move(*names, job_id=1, on_conflict="overwrite")
        target = harness.library / "new"
        (target / "edited").write_text("NEW edited")  # same length
        (target / "replaced").rename(target / "kept")
        (target / "replaced").write_text("new replaced")
        (target / "gone").unlink()
        (harness.downloads / "taken").write_text("another")
        next(target.glob("backup.app-bak-*")).unlink()
        before = sorted(path.name for path in target.iterdir())
        undone, failed = await harness.undo(jobId=1)
        assert (undone, sorted(failed)) == (
            1,
            ["backup_missing", "changed_since", "changed_since", "file_missing", "source_taken"],
        )
        assert sorted(path.name for path in target.iterdir()) == [
            name for name in before if name != "fine"
        ]
        assert (harness.downloads / "fine").read_text() == "new fine"
        # Deleting the entry gives up a missing backup.
        backup = (await harness.client.get("/api/backups")).json()["backups"][0]
        assert backup["size"] is None
        await harness.client.delete(f"/api/backups/{backup['id']}")
        assert (await harness.undo(jobId=1))[0] == 1
        assert (harness.downloads / "backup").exists()


async def test_undo_twice_and_partially(tmp_path: Path) -> None:
    async with history_harness_at(tmp_path) as harness:
        await harness.move("a.mkv", "b.mkv", job_id=1)
        assert await harness.undo(itemIds=[1]) == (1, [])
        assert await harness.undo(itemIds=[1]) == (0, [])
        assert await harness.undo(jobId=1) == (1, [])
        assert await harness.undo(jobId=1) == (0, [])
        assert sorted(path.name for path in harness.downloads.iterdir()) == ["a.mkv", "b.mkv"]
        assert list(harness.library.iterdir()) == []


async def test_undo_restores_removed_folder(tmp_path: Path) -> None:
    async with history_harness_at(tmp_path) as harness:
        (harness.downloads / "pack").mkdir()
        await harness.move("pack/a.mkv", job_id=1)
        assert not (harness.downloads / "pack").exists()
        assert await harness.undo(jobId=1) == (1, [])
        assert (harness.downloads / "pack" / "a.mkv").exists()


async def test_undo_keeps_last_copy(tmp_path: Path) -> None:
    async with history_harness_at(tmp_path) as harness:
        moves: Moves = harness.given("moves")
        for action in ("copy", "hardlink"):
            source, target = harness.downloads / action, harness.library / action
            source.write_text(action)
            await moves.execute(Plan((Step(str(source), str(target), action=action),), job_id=1))
            source.unlink()
        assert await harness.undo(jobId=1) == (0, ["last_copy", "last_copy"])
        assert len(list(harness.library.iterdir())) == 2


async def test_listeners_receive_undone_operations(tmp_path: Path) -> None:
    async with history_harness_at(tmp_path) as harness:
        heard: list[Operation] = []
        harness.given("history").listeners.append(lambda _tx, undone: heard.extend(undone))
        await harness.move("a.mkv", job_id=1)
        await harness.undo(jobId=1)
        assert [row.item_id for row in heard] == [1]


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


async def test_history_and_dashboard_name_the_titles(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.file("Heat.1995.mkv")
        for number in (5, 6):
            harness.file(f"Firefly.S01E0{number}.mkv")
        job = await harness.start(action="move")
        await harness.execute(job["jobId"])
        entries = (await harness.ask("GET", "/api/history"))["entries"]
        assert {one["match"]["title"] for one in entries} == {"Heat", "Firefly"}
        assert all(one["match"]["poster"].startswith("demo:") for one in entries)
        titles = (await harness.ask("GET", "/api/dashboard"))["titles"]
        assert {(one["title"]["title"], one["files"]) for one in titles} == {
            ("Heat", 1),
            ("Firefly", 2),
        }
