"""History, undo and backups, as a person uses them."""

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
from quartet.media.moves.types import OnConflict, Operation, Plan, Report, Step
from tests.client import Client, client_of

pytestmark = pytest.mark.anyio


class Desk:
    """A service with a folder for downloads and a library."""

    def __init__(self, client: Client, base: Path) -> None:
        self.client = client
        self.downloads, self.library = base / "downloads", base / "library"

    def given(self, name: str) -> Any:
        return self.client.started.built.dependencies[name]

    async def move(
        self, *names: str, job_id: int | None = None, on_conflict: OnConflict = "skip"
    ) -> Report:
        steps = []
        for number, name in enumerate(names):
            (self.downloads / name).write_bytes(b"new " + os.fsencode(name))
            source, target = str(self.downloads / name), str(self.library / "new" / name)
            steps.append(Step(source, target, number + 1, on_conflict=on_conflict))
        moves: Moves = self.given("moves")
        report = await moves.execute(Plan(tuple(steps), job_id))
        assert report.count("failed") == 0
        return report

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
async def desk_at(base: Path, **settings: Any) -> AsyncIterator[Desk]:
    async with client_of(SERVICE, base / "config", **settings) as client:
        desk = Desk(client, base)
        for path in (desk.downloads, desk.library):
            path.mkdir(exist_ok=True)
            await client.post("/api/folders", json={"path": str(path)})
        yield desk


async def test_what_was_done_is_listed_newest_first(tmp_path: Path) -> None:
    async with desk_at(tmp_path) as desk:
        await desk.move("a.mkv", "b.mkv", "100%_c.mkv", job_id=5)
        entries = await desk.history()
        assert [Path(one["target"]).name for one in entries] == ["100%_c.mkv", "b.mkv", "a.mkv"]
        assert {one["jobId"] for one in entries} == {5}
        assert len(await desk.history(q="NEW/B")) == 1
        assert len(await desk.history(q="0%_")) == 1
        assert await desk.history(q="nothing") == []
        first = (await desk.client.get("/api/history", params={"limit": 2})).json()
        rest = await desk.history(cursor=first["cursor"])
        assert len(first["entries"]) == 2 and len(rest) == 1


async def test_a_file_is_known_by_the_name_it_came_with(tmp_path: Path) -> None:
    async with desk_at(tmp_path) as desk:
        await desk.move("Film.1080p-GRP.mkv")
        moves: Moves = desk.given("moves")
        target = desk.library / "new" / "Film.1080p-GRP.mkv"
        assert await moves.came_from(str(target)) == str(desk.downloads / "Film.1080p-GRP.mkv")
        assert await moves.came_from("/nowhere") is None


async def test_the_same_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    long = "/".join(["x" * 200] * 16)
    async with desk_at(tmp_path, database_url=postgres_url) as desk:
        (desk.downloads / long).mkdir(parents=True)
        await desk.move("a.mkv", "b.mkv", f"{long}/c\udce9.mkv", job_id=1)
        assert len(await desk.history(q="A.MKV")) == 1
        assert await desk.undo(jobId=1) == (3, [])
        assert (desk.downloads / f"{long}/c\udce9.mkv").exists()
        assert list(desk.library.iterdir()) == []


async def test_undo_by_job_item_operation_and_time(tmp_path: Path) -> None:
    async with desk_at(tmp_path) as desk:
        await desk.move("a.mkv", "b.mkv", job_id=1)
        await desk.move("c.mkv", job_id=2)
        later = (await desk.history())[0]["executedAt"]
        assert await desk.undo(itemIds=[2]) == (1, [])
        assert (desk.downloads / "b.mkv").exists()
        assert await desk.undo(jobId=2) == (1, [])
        first = (await desk.history())[0]["id"]
        assert await desk.undo(operationIds=[first, 999]) == (1, ["nothing_to_undo"])
        assert await desk.history() == []
        assert len(await desk.history(includeUndone=True)) == 3
        assert not (desk.library / "new").exists()
        await desk.move("d.mkv")
        assert await desk.undo(since=later + 10**9) == (0, [])
        assert await desk.undo(since=later) == (1, [])


@pytest.mark.parametrize("body", [{}, {"jobId": 1, "since": 2}])
async def test_exactly_one_way_to_choose(tmp_path: Path, body: dict[str, int]) -> None:
    async with desk_at(tmp_path) as desk:
        got = await desk.client.code("POST", "/api/history/undo", json=body)
        assert got == (400, "one_selector")


# Hostile case 5
async def test_undo_checks_before_it_acts(tmp_path: Path) -> None:
    names = ("edited", "replaced", "gone", "taken", "backup", "fine")
    async with desk_at(tmp_path) as desk:
        (desk.library / "new").mkdir()
        (desk.library / "new" / "backup").write_text("old")
        await desk.move(*names, job_id=1, on_conflict="overwrite")
        target = desk.library / "new"
        (target / "edited").write_text("NEW edited")  # as long as it was
        (target / "replaced").rename(target / "kept")
        (target / "replaced").write_text("new replaced")
        (target / "gone").unlink()
        (desk.downloads / "taken").write_text("another")
        next(target.glob("backup.app-bak-*")).unlink()
        before = sorted(path.name for path in target.iterdir())
        undone, failed = await desk.undo(jobId=1)
        assert (undone, sorted(failed)) == (
            1,
            ["backup_missing", "changed_since", "changed_since", "file_missing", "source_taken"],
        )
        assert sorted(path.name for path in target.iterdir()) == [
            name for name in before if name != "fine"
        ]
        assert (desk.downloads / "fine").read_text() == "new fine"
        # A backup that somebody deleted is given up by deleting its entry.
        backup = (await desk.client.get("/api/backups")).json()["backups"][0]
        assert backup["size"] is None
        await desk.client.delete(f"/api/backups/{backup['id']}")
        assert (await desk.undo(jobId=1))[0] == 1
        assert (desk.downloads / "backup").exists()


# Hostile case 5
async def test_undo_twice_and_by_halves(tmp_path: Path) -> None:
    async with desk_at(tmp_path) as desk:
        await desk.move("a.mkv", "b.mkv", job_id=1)
        assert await desk.undo(itemIds=[1]) == (1, [])
        assert await desk.undo(itemIds=[1]) == (0, [])
        assert await desk.undo(jobId=1) == (1, [])
        assert await desk.undo(jobId=1) == (0, [])
        assert sorted(path.name for path in desk.downloads.iterdir()) == ["a.mkv", "b.mkv"]
        assert list(desk.library.iterdir()) == []


# Hostile case 5
async def test_undo_brings_the_folder_back_that_was_removed(tmp_path: Path) -> None:
    async with desk_at(tmp_path) as desk:
        (desk.downloads / "pack").mkdir()
        await desk.move("pack/a.mkv", job_id=1)
        assert not (desk.downloads / "pack").exists()
        assert await desk.undo(jobId=1) == (1, [])
        assert (desk.downloads / "pack" / "a.mkv").exists()


async def test_the_last_copy_is_not_deleted(tmp_path: Path) -> None:
    async with desk_at(tmp_path) as desk:
        moves: Moves = desk.given("moves")
        for action in ("copy", "hardlink"):
            source, target = desk.downloads / action, desk.library / action
            source.write_text(action)
            await moves.execute(Plan((Step(str(source), str(target), action=action),), job_id=1))
            source.unlink()
        assert await desk.undo(jobId=1) == (0, ["last_copy", "last_copy"])
        assert len(list(desk.library.iterdir())) == 2


async def test_whoever_keeps_states_hears_of_an_undo(tmp_path: Path) -> None:
    async with desk_at(tmp_path) as desk:
        heard: list[Operation] = []
        desk.given("history").listeners.append(lambda _tx, undone: heard.extend(undone))
        await desk.move("a.mkv", job_id=1)
        await desk.undo(jobId=1)
        assert [row.item_id for row in heard] == [1]


async def test_backups_are_listed_and_deleted(tmp_path: Path) -> None:
    async with desk_at(tmp_path) as desk:
        (desk.library / "new").mkdir()
        (desk.library / "new" / "a.mkv").write_text("old")
        (desk.downloads / "pack").mkdir()
        (desk.downloads / "pack" / "Thumbs.db").write_text("junk")
        await desk.move("a.mkv", "pack/b.mkv", job_id=1, on_conflict="overwrite")
        page = (await desk.client.get("/api/backups")).json()
        assert [(one["kind"], one["size"]) for one in page["backups"]] == [
            ("junk", 4),
            ("replaced", 3),
        ]
        for one in page["backups"]:
            assert Path(one["path"]).exists() and one["expiresAt"] is None
            assert (await desk.client.delete(f"/api/backups/{one['id']}")).status_code == 204
            assert not Path(one["path"]).exists()
            path = f"/api/backups/{one['id']}"
            assert await desk.client.code("DELETE", path) == (404, "not_found")
        assert (await desk.client.get("/api/backups")).json()["backups"] == []
        assert await desk.undo(jobId=1) == (2, [])


async def test_old_backups_are_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk_at(tmp_path, backup_days=30) as desk:
        (desk.library / "new").mkdir()
        (desk.library / "new" / "a.mkv").write_text("old")
        await desk.move("a.mkv", job_id=1, on_conflict="overwrite")
        backups: Backups = desk.given("backups")
        await backups.expire()
        (kept,) = (await desk.client.get("/api/backups")).json()["backups"]
        monkeypatch.setattr("quartet.media.history.backups.now_ms", lambda: kept["expiresAt"] + 1)
        await backups.expire()
        assert (await desk.client.get("/api/backups")).json()["backups"] == []
        assert os.listdir(desk.library / "new") == ["a.mkv"]  # noqa: PTH208


class Turn(asyncio.Lock):
    """Tells of everybody who asks for it."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Semaphore(0)

    async def acquire(self) -> Literal[True]:
        self.asked.release()
        return await super().acquire()


@pytest.mark.parametrize("how", ["asked", "old"])
async def test_a_backup_is_deleted_as_it_is_when_its_turn_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    async with desk_at(tmp_path, backup_days=30) as desk:
        (desk.library / "new").mkdir()
        (desk.library / "new" / "a.mkv").write_text("old")
        await desk.move("a.mkv", job_id=1, on_conflict="overwrite")
        (kept,) = (await desk.client.get("/api/backups")).json()["backups"]
        monkeypatch.setattr("quartet.media.history.backups.now_ms", lambda: kept["expiresAt"] + 1)
        turn = Turn()
        monkeypatch.setattr(desk.given("moves"), "_turn", turn)
        backups: Backups = desk.given("backups")
        async with turn:  # something long is at work, and an undo waits before us
            await turn.asked.acquire()
            undo = asyncio.create_task(desk.undo(jobId=1))
            await turn.asked.acquire()
            delete = backups.delete(kept["id"]) if how == "asked" else backups.expire()
            ours = asyncio.create_task(delete)
            await turn.asked.acquire()
        assert await undo == (1, [])
        with suppress(AppError):
            await ours
        assert await desk.history() == []
        assert (desk.library / "new" / "a.mkv").read_text() == "old"
