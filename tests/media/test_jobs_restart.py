"""Jobs that are interrupted by a restart."""

from pathlib import Path
from typing import Any

import pytest

from quartet.kernel.startup import open_kernel
from quartet.media.app import SERVICE
from quartet.media.jobs import store, store_items, store_seen_files
from quartet.media.moves import store as moves_store
from tests.client import quiet_client_of
from tests.media.job_harness import INCEPTION, JobHarness, job_harness_at

pytestmark = pytest.mark.anyio


def crash(base: Path, change: Any) -> None:
    """Leave the database as a killed process would."""
    kernel = open_kernel(SERVICE, SERVICE.settings(data=base / "config"))
    kernel.db.write_sync(change)
    kernel.db.close()


async def leave_half_done(harness: JobHarness, kind: str) -> int:
    """Move two of three items."""
    harness.release()
    if kind == "manual":
        id: int = (await harness.start(action="move"))["jobId"]
        first, second, _ = await harness.items(id)
        await harness.execute(id, first["id"], second["id"])
        return id
    body = {"path": str(harness.downloads), "review": True}
    id = (await harness.ask("POST", "/api/jobs", 202, json=body))["jobId"]
    await harness.wait_until_idle(id)
    first, second, _ = await harness.items(id)
    ids = {"itemIds": [first["id"], second["id"]]}
    await harness.ask("POST", "/api/inbox/approve", 202, json=ids)
    await harness.until(f"/api/jobs/{id}", lambda job: job["items"]["done"] == 2)
    await harness.wait_until_idle(id)
    return id


@pytest.mark.parametrize("kind", ["manual", "hook"])
async def test_killed_during_execution(tmp_path: Path, kind: str) -> None:
    async with job_harness_at(tmp_path) as harness:
        id = await leave_half_done(harness, kind)

    def change(tx: Any) -> None:
        rows = store_items.chunk(tx.conn, id, 0, 10)
        for row in rows:
            row.state, row.chosen = "ready", True
        store_items.save(tx.conn, rows)
        store.change(tx.conn, id, status="executing")

    crash(tmp_path, change)
    async with job_harness_at(tmp_path, new=False) as harness:
        job = await harness.wait_until_idle(id)
        if kind == "manual":
            assert (job["status"], job["error"]["code"]) == ("ready", "job_interrupted")
            assert (job["items"]["done"], job["items"]["ready"]) == (2, 1)
            job = await harness.execute(id)
        assert (job["status"], job["items"]["done"], job["error"]) == ("done", 3, None)
        assert len((await harness.ask("GET", "/api/history"))["entries"]) >= 3


async def without_subtitles(harness: JobHarness, kind: str, *, lost: bool = False) -> Any:
    """Return the database change that simulates a crash between the video and its subtitles."""
    harness.release()
    path = harness.downloads / INCEPTION
    if kind == "manual":
        id: int = (await harness.start(path, action="move"))["jobId"]
        await harness.execute(id)
    else:
        id = (await harness.ask("POST", "/api/jobs", 202, json={"path": str(path)}))["jobId"]
        await harness.wait_until_idle(id)

    def change(tx: Any) -> None:
        (item,) = store_items.chunk(tx.conn, id, 0, 10)
        item.state, item.chosen = "ready", True
        store_items.save(tx.conn, [item])
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
async def test_killed_between_video_and_subtitles(tmp_path: Path, kind: str) -> None:
    async with job_harness_at(tmp_path) as harness:
        change = await without_subtitles(harness, kind)
    moved = sorted(harness.films.rglob("*.srt"))
    assert len(moved) == 2
    crash(tmp_path, change)
    assert not any(path.exists() for path in moved)
    async with job_harness_at(tmp_path, new=False) as harness:
        job = await harness.wait_until_idle(1)
        (item,) = await harness.items(1)
        assert (job["items"]["done"], item["state"], item["error"]) == (1, "done", None)
        # Nothing is left to execute.
        assert (job["status"], job["error"]) == ("done", None)
        assert sorted(harness.films.rglob("*.srt")) == moved
        await harness.ask("POST", "/api/jobs/1/undo")
        assert list(harness.films.rglob("*")) == []


async def test_lost_subtitles_are_reported(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        change = await without_subtitles(harness, "hook", lost=True)
    crash(tmp_path, change)
    async with job_harness_at(tmp_path, new=False) as harness:
        await harness.wait_until_idle(1)
        (item,) = await harness.items(1)
        assert (item["state"], item["error"]["code"]) == ("done", "not_found")


async def test_killed_during_preview(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.release()
        id = (await harness.start())["jobId"]

    def change(tx: Any) -> None:
        store.change(tx.conn, id, status="matching", begin="scan")

    crash(tmp_path, change)
    async with job_harness_at(tmp_path, new=False) as harness:
        job = await harness.wait_until_idle(id)
        assert (job["status"], job["items"]["ready"], job["progress"]["total"]) == ("ready", 3, 3)


async def test_cancelled_while_queued(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.release()
        id = (await harness.start(action="move"))["jobId"]
    async with quiet_client_of(SERVICE, tmp_path / "config", demo=True) as client:
        harness = JobHarness(client, tmp_path)
        before = harness.tree()
        waiting = await harness.ask("POST", f"/api/jobs/{id}/execute", 202, json={})
        assert waiting["status"] == "queued"
        assert await client.code("DELETE", f"/api/jobs/{id}") == (409, "job_busy")
        job = await harness.ask("POST", f"/api/jobs/{id}/cancel", 202)
        assert job["status"] == "cancelled"
    async with job_harness_at(tmp_path, new=False) as harness:
        assert (await harness.wait_until_idle(id))[
            "status"
        ] == "cancelled" and harness.tree() == before
        assert (await harness.execute(id))["items"]["done"] == 3


async def test_hook_job_and_undo_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    async with job_harness_at(tmp_path, database_url=postgres_url) as harness:
        db = harness.client.started.kernel.db
        harness.release()
        harness.file("zzz.mkv")
        before = harness.tree()
        path = {"path": str(harness.downloads)}
        id = (await harness.ask("POST", "/api/jobs", 202, json=path))["jobId"]
        job = await harness.wait_until_idle(id)
        assert (job["items"]["done"], job["items"]["needs_review"]) == (3, 1)
        assert len(await harness.items(id, q="FIREFLY", state="done")) == 2
        assert (await harness.ask("GET", "/api/inbox"))["total"] == 1
        assert (await harness.ask("POST", "/api/jobs", 202, json=path))["jobId"] == id
        assert (await harness.ask("GET", "/api/dashboard"))["jobs"] == {"ready": 1}
        watched = {"name": "New", "path": str(harness.downloads), "enabled": False}
        await harness.ask("POST", "/api/watch-folders", 201, json=watched)
        await harness.ask("POST", f"/api/jobs/{id}/undo")
        assert harness.tree() == before
        await harness.ask("DELETE", f"/api/jobs/{id}", 204)
        zzz = str(harness.downloads / "zzz.mkv")
        assert await db.read(store_seen_files.known_files, [zzz]) == {(zzz, *before[zzz])}
