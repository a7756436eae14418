"""History and undo."""

from pathlib import Path

import pytest

from quartet.media.moves.service import Moves
from quartet.media.moves.types import Operation, Plan, Step
from tests.media.history_harness import history_harness_at
from tests.media.job_harness import job_harness_at

pytestmark = pytest.mark.anyio


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
