"""A service that stops in the middle says honestly how far it came."""

from pathlib import Path
from typing import Any

import pytest

from quartet.kernel.start import open_kernel
from quartet.media.app import SERVICE
from quartet.media.jobs import item_store, store
from tests.media.workbench import Bench, bench_at

pytestmark = pytest.mark.anyio


def crash(base: Path, change: Any) -> None:
    """Leaves the database as a process that was killed would have left it."""
    kernel = open_kernel(SERVICE, SERVICE.settings(data=base / "config"))
    kernel.db.write_now(change)
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
        before = bench.tree()
        db = bench.client.started.kernel.db
        # Without waking anybody.
        await db.write(lambda tx: store.change(tx.conn, id, status="queued"))
        assert await bench.client.code("DELETE", f"/api/jobs/{id}") == (409, "job_busy")
        job = await bench.ask("POST", f"/api/jobs/{id}/cancel", 202)
        assert job["status"] == "cancelled" and bench.tree() == before
        assert (await bench.execute(id))["items"]["done"] == 3


async def test_the_same_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    async with bench_at(tmp_path, database_url=postgres_url) as bench:
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
