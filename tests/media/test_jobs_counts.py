"""The number of items per job and state, which lists read without counting items."""

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, insert, select

from quartet.kernel.db import History, migrate, open_database
from quartet.kernel.startup import open_kernel
from quartet.media.app import SERVICE
from quartet.media.jobs import store_item_counts
from quartet.media.jobs.tables import item_counts, items, jobs
from tests.media.job_harness import FIREFLY, INCEPTION, JobHarness, job_harness_at

pytestmark = pytest.mark.anyio


async def check_counts(harness: JobHarness) -> None:
    """Compare the numbers of all lists with the items themselves."""
    jobs = (await harness.ask("GET", "/api/jobs"))["jobs"]
    total: Counter[str] = Counter()
    waiting = 0
    for job in jobs:
        real = Counter(item["state"] for item in await harness.items(job["jobId"]))
        assert {state: number for state, number in job["items"].items() if number} == real
        assert (await harness.ask("GET", f"/api/jobs/{job['jobId']}"))["items"] == job["items"]
        total += real
        waiting += real["needs_review"] if job["kind"] != "manual" else 0
    dashboard = await harness.ask("GET", "/api/dashboard")
    assert dashboard["items"] == total
    assert dashboard["inbox"] == (await harness.ask("GET", "/api/inbox"))["total"] == waiting


async def use_jobs(harness: JobHarness) -> None:
    """Change items in every way the API has, and compare after each step."""
    harness.release()
    harness.file("nobody knows this one.mkv")
    first = (await harness.start(action="move"))["jobId"]
    await check_counts(harness)
    one, two, *_ = await harness.items(first)
    await harness.change(first, one["id"], excluded=True)
    await check_counts(harness)
    await harness.execute(first, two["id"])
    await check_counts(harness)
    await harness.preview(first, action="move", recursive=False)
    await check_counts(harness)
    await harness.ask("POST", f"/api/jobs/{first}/undo")
    await check_counts(harness)
    body = {"path": str(harness.downloads), "review": True}
    hook = (await harness.ask("POST", "/api/jobs", 202, json=body))["jobId"]
    await harness.wait_until_idle(hook)
    await check_counts(harness)
    ids = [item["id"] for item in await harness.items(hook)]
    await harness.ask("POST", "/api/inbox/reject", json={"itemIds": ids[:1]})
    await check_counts(harness)
    await harness.ask("DELETE", f"/api/jobs/{first}", 204)
    await check_counts(harness)


async def test_counts_follow_every_change(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        await use_jobs(harness)


async def test_counts_follow_every_change_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    async with job_harness_at(tmp_path, database_url=postgres_url) as harness:
        await use_jobs(harness)


async def test_restart_counts_items_that_another_version_changed(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.file(f"{INCEPTION}/{INCEPTION}.mkv")
        harness.file(f"{FIREFLY}/Firefly.S01E05.720p.mkv")
        await harness.start(action="move")
    kernel = open_kernel(SERVICE, SERVICE.settings(data=tmp_path / "config"))
    kernel.db.write_sync(lambda tx: tx.conn.execute(item_counts.update().values(number=7)))
    kernel.db.close()
    async with job_harness_at(tmp_path, new=False) as harness:
        await check_counts(harness)


def test_migration_counts_existing_items(tmp_path: Path) -> None:
    history = SERVICE.history
    before = History("media", history.metadata, tmp_path / "migrations")
    shutil.copytree(history.folder, before.folder)
    for step in (before.folder / "versions").glob("*.py"):
        if step.stem >= "0019":
            step.unlink()
    db = open_database(tmp_path, "media")
    migrate(db, before)

    def fill(tx: Any) -> int:
        job = {"kind": "manual", "status": "ready", "paths": "[]", "config": "{}"}
        times = {"begin": "scan", "done": 0, "total": 0, "created_at": 1}
        query = insert(jobs).values(**job, **times).returning(jobs.c.id)
        id: int = tx.conn.execute(query).scalar_one()
        item = {"job_id": id, "is_folder": False, "size": 1, "mtime_ns": 1, "companions": "[]"}
        flags = dict.fromkeys(("excluded", "approved", "chosen"), False)
        for state in ("ready", "ready", "done"):
            row = {"source": "/a", "confidence": 1.0, "state": state, "reasons": []}
            tx.conn.execute(insert(items).values(**item, **flags, **row))
        return id

    job = db.write_sync(fill)
    migrate(db, history)

    def read(tx: Any) -> tuple[int, int, int]:
        found = store_item_counts.of_jobs(tx.conn, [job])[job]
        rows = tx.conn.execute(select(func.count()).select_from(item_counts)).scalar_one()
        return found["ready"], found["done"], rows

    assert db.write_sync(read) == (2, 1, 2)
    db.close()
