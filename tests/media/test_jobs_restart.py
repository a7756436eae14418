"""A service that stops in the middle says honestly how far it came."""

from pathlib import Path
from typing import Any

import pytest

from quartet.kernel.startup import open_kernel
from quartet.media.app import SERVICE
from quartet.media.jobs import item_store, seen_store, store
from quartet.media.moves import store as moves_store
from tests.client import quiet_client_of
from tests.media.workbench import INCEPTION, Bench, bench_at

pytestmark = pytest.mark.anyio


def crash(base: Path, change: Any) -> None:
    """Leaves the database as a process that was killed would have left it."""
    kernel = open_kernel(SERVICE, SERVICE.settings(data=base / "config"))
    kernel.db.write_sync(change)
    kernel.db.close()


async def half_done(bench: Bench, kind: str) -> int:
    """Two of three were moved, and the last word was never written."""
    bench.release()
    if kind == "manual":
        id: int = (await bench.start(action="move"))["jobId"]
        first, second, _ = await bench.items(id)
        await bench.execute(id, first["id"], second["id"])
        return id
    body = {"path": str(bench.downloads), "review": True}
    id = (await bench.ask("POST", "/api/jobs", 202, json=body))["jobId"]
    await bench.rested(id)
    first, second, _ = await bench.items(id)
    ids = {"itemIds": [first["id"], second["id"]]}
    await bench.ask("POST", "/api/inbox/approve", 202, json=ids)
    await bench.until(f"/api/jobs/{id}", lambda job: job["items"]["done"] == 2)
    await bench.rested(id)
    return id


@pytest.mark.parametrize("kind", ["manual", "hook"])
async def test_killed_while_executing(tmp_path: Path, kind: str) -> None:
    async with bench_at(tmp_path) as bench:
        id = await half_done(bench, kind)

    def change(tx: Any) -> None:
        rows = item_store.chunk(tx.conn, id, 0, 10)
        for row in rows:
            row.state, row.chosen = "ready", True
        item_store.save(tx.conn, rows)
        store.change(tx.conn, id, status="executing")

    crash(tmp_path, change)
    async with bench_at(tmp_path, new=False) as bench:
        job = await bench.rested(id)
        if kind == "manual":
            assert (job["status"], job["error"]["code"]) == ("ready", "job_interrupted")
            assert (job["items"]["done"], job["items"]["ready"]) == (2, 1)
            job = await bench.execute(id)
        assert (job["status"], job["items"]["done"], job["error"]) == ("done", 3, None)
        assert len((await bench.ask("GET", "/api/history"))["entries"]) >= 3


async def without_subtitles(bench: Bench, kind: str, *, lost: bool = False) -> Any:
    """What is to be done to the database if the end came after the video and before those."""
    bench.release()
    path = bench.downloads / INCEPTION
    if kind == "manual":
        id: int = (await bench.start(path, action="move"))["jobId"]
        await bench.execute(id)
    else:
        id = (await bench.ask("POST", "/api/jobs", 202, json={"path": str(path)}))["jobId"]
        await bench.rested(id)

    def change(tx: Any) -> None:
        (item,) = item_store.chunk(tx.conn, id, 0, 10)
        item.state, item.chosen = "ready", True
        item_store.save(tx.conn, [item])
        store.change(tx.conn, id, status="executing")
        rows = [row for row in moves_store.of_job(tx.conn, id) if row.role == "companion"]
        for row in rows:
            row.state = "intended"
            Path(row.source).parent.mkdir(parents=True, exist_ok=True)
            Path(row.target).rename(row.source)
            if lost:
                Path(row.source).unlink()
        moves_store.save(tx.conn, rows)

    return change


@pytest.mark.parametrize("kind", ["manual", "hook"])
async def test_killed_between_a_video_and_its_subtitles(tmp_path: Path, kind: str) -> None:
    async with bench_at(tmp_path) as bench:
        change = await without_subtitles(bench, kind)
    moved = sorted(bench.films.rglob("*.srt"))
    assert len(moved) == 2
    crash(tmp_path, change)
    assert not any(path.exists() for path in moved)
    async with bench_at(tmp_path, new=False) as bench:
        job = await bench.rested(1)
        (item,) = await bench.items(1)
        assert (job["items"]["done"], item["state"], item["error"]) == (1, "done", None)
        assert sorted(bench.films.rglob("*.srt")) == moved
        await bench.ask("POST", "/api/jobs/1/undo")
        assert list(bench.films.rglob("*")) == []


async def test_subtitles_that_could_not_follow_are_told_of(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        change = await without_subtitles(bench, "hook", lost=True)
    crash(tmp_path, change)
    async with bench_at(tmp_path, new=False) as bench:
        await bench.rested(1)
        (item,) = await bench.items(1)
        assert (item["state"], item["error"]["code"]) == ("done", "not_found")


async def test_killed_while_looking(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        bench.release()
        id = (await bench.start())["jobId"]

    def change(tx: Any) -> None:
        store.change(tx.conn, id, status="matching", begin="scan")

    crash(tmp_path, change)
    async with bench_at(tmp_path, new=False) as bench:
        job = await bench.rested(id)
        assert (job["status"], job["items"]["ready"], job["progress"]["total"]) == ("ready", 3, 3)


async def test_cancelled_before_it_began(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        bench.release()
        id = (await bench.start(action="move"))["jobId"]
    async with quiet_client_of(SERVICE, tmp_path / "config", demo=True) as client:
        bench = Bench(client, tmp_path)
        before = bench.tree()
        waiting = await bench.ask("POST", f"/api/jobs/{id}/execute", 202, json={})
        assert waiting["status"] == "queued"
        assert await client.code("DELETE", f"/api/jobs/{id}") == (409, "job_busy")
        job = await bench.ask("POST", f"/api/jobs/{id}/cancel", 202)
        assert job["status"] == "cancelled"
    async with bench_at(tmp_path, new=False) as bench:
        assert (await bench.rested(id))["status"] == "cancelled" and bench.tree() == before
        assert (await bench.execute(id))["items"]["done"] == 3


async def test_the_same_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    async with bench_at(tmp_path, database_url=postgres_url) as bench:
        db = bench.client.started.kernel.db
        bench.release()
        bench.file("zzz.mkv")
        before = bench.tree()
        path = {"path": str(bench.downloads)}
        id = (await bench.ask("POST", "/api/jobs", 202, json=path))["jobId"]
        job = await bench.rested(id)
        assert (job["items"]["done"], job["items"]["needs_review"]) == (3, 1)
        assert len(await bench.items(id, q="FIREFLY", state="done")) == 2
        assert (await bench.ask("GET", "/api/inbox"))["total"] == 1
        assert (await bench.ask("POST", "/api/jobs", 202, json=path))["jobId"] == id
        assert (await bench.ask("GET", "/api/dashboard"))["jobs"] == {"ready": 1}
        watched = {"name": "New", "path": str(bench.downloads), "enabled": False}
        await bench.ask("POST", "/api/watch-folders", 201, json=watched)
        await bench.ask("POST", f"/api/jobs/{id}/undo")
        assert bench.tree() == before
        await bench.ask("DELETE", f"/api/jobs/{id}", 204)
        zzz = str(bench.downloads / "zzz.mkv")
        assert await db.read(seen_store.known, [zzz]) == {(zzz, *before[zzz])}
