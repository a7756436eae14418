"""Items that need review."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from quartet.media.jobs import store
from tests.media.job_harness import SECONDS, JobHarness, job_harness_at

pytestmark = pytest.mark.anyio


async def fill_inbox(harness: JobHarness) -> Any:
    """Create a confident item, an uncertain one and an unknown one."""
    for name in ("Heat.1995.mkv", "Total.Recall.mkv", "zzz.mkv"):
        harness.file(f"new/{name}")
    job = await harness.ask("POST", "/api/jobs", 202, json={"path": str(harness.downloads / "new")})
    return await harness.wait_until_idle(job["jobId"])


async def inbox(harness: JobHarness) -> dict[str, Any]:
    page = await harness.ask("GET", "/api/inbox")
    assert page["total"] == len(page["entries"])
    return {Path(one["item"]["path"]).name: one["item"] for one in page["entries"]}


async def test_confident_items_run_and_others_wait(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        job = await fill_inbox(harness)
        assert (job["status"], job["items"]["done"], job["items"]["needs_review"]) == (
            "ready",
            1,
            2,
        )
        waiting = await inbox(harness)
        assert set(waiting) == {"Total.Recall.mkv", "zzz.mkv"}
        assert (await harness.ask("GET", "/api/dashboard"))["inbox"] == 2
        page = await harness.ask("GET", "/api/inbox", params={"limit": 1})
        assert page["cursor"] == page["entries"][0]["item"]["id"]


async def test_approve_by_confidence_and_by_id(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        job = await fill_inbox(harness)
        waiting = await inbox(harness)
        sure = waiting["Total.Recall.mkv"]["confidence"]
        path = "/api/inbox/approve"
        assert await harness.client.code("POST", path, json={}) == (400, "nothing_chosen")
        none = await harness.ask("POST", path, 202, json={"minConfidence": 1})
        assert none == {"approved": 0, "refused": 0}
        one = await harness.ask("POST", path, 202, json={"minConfidence": sure})
        assert one["approved"] == 1
        await harness.until(f"/api/jobs/{job['jobId']}", lambda one: one["items"]["done"] == 2)
        # An item without a target cannot be approved.
        unknown = waiting["zzz.mkv"]["id"]
        refused = await harness.ask("POST", path, 202, json={"itemIds": [unknown]})
        assert refused == {"approved": 0, "refused": 1}
        await harness.change(job["jobId"], unknown, targetPath="Odd.mkv")
        assert await inbox(harness) == {}
        assert (await harness.execute(job["jobId"]))["status"] == "done"
        assert (harness.films / "Odd.mkv").exists()


async def test_rejected_items_stay_in_place(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        job = await fill_inbox(harness)
        ids = [one["id"] for one in (await inbox(harness)).values()]
        got = await harness.ask("POST", "/api/inbox/reject", json={"itemIds": [*ids, 999]})
        assert got == {"rejected": 2}
        assert await inbox(harness) == {}
        job = await harness.ask("GET", f"/api/jobs/{job['jobId']}")
        assert (job["status"], job["items"]["skipped"]) == ("done", 2)
        assert (harness.downloads / "new/zzz.mkv").exists()


async def test_review_holds_everything_back(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        path = str(harness.file("Heat.1995.mkv"))
        async with harness.client.started.kernel.events.subscribe() as news:
            job = await harness.ask("POST", "/api/jobs", 202, json={"path": path, "review": True})
            await harness.wait_until_idle(job["jobId"])
            wanted = {"job.progress", "item.updated", "inbox.added"}
            while wanted:
                wanted -= {frame.type for frame in await news.batch(1)}
        (item,) = (await inbox(harness)).values()
        assert item["confidence"] > 0.9 and Path(path).exists()
        await harness.ask("POST", "/api/inbox/approve", 202, json={"itemIds": [item["id"]]})
        await harness.until(f"/api/jobs/{job['jobId']}", lambda one: one["status"] == "done")
        assert not Path(path).exists()


@pytest.mark.parametrize("before", ["undone", "cancelled"])
async def test_approve_after_job_ended(tmp_path: Path, before: str) -> None:
    async with job_harness_at(tmp_path) as harness:
        id = (await fill_inbox(harness))["jobId"]
        await harness.ask("POST", f"/api/jobs/{id}/undo")
        if before == "cancelled":
            await cancelled(harness, id)
        assert (await harness.ask("GET", f"/api/jobs/{id}"))["status"] == before
        wanted = (await inbox(harness))["Total.Recall.mkv"]["id"]
        got = await harness.ask("POST", "/api/inbox/approve", 202, json={"itemIds": [wanted]})
        assert got == {"approved": 1, "refused": 0}
        await harness.until(f"/api/jobs/{id}", lambda job: job["items"]["done"] == 1)
        assert not (harness.downloads / "new/Total.Recall.mkv").exists()


async def cancelled(harness: JobHarness, id: int) -> None:
    """Set the status of a job whose second run was cancelled in the queue."""
    db = harness.client.started.kernel.db
    await db.write(lambda tx: store.change(tx.conn, id, status="cancelled"))


async def test_changed_file_returns_to_inbox(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        path = harness.file("Heat.1995.mkv")
        job = await harness.ask("POST", "/api/jobs", 202, json={"path": str(path), "review": True})
        await harness.wait_until_idle(job["jobId"])
        (item,) = (await inbox(harness)).values()
        harness.file("Heat.1995.mkv", "more than before", fresh=True)
        async with harness.client.started.kernel.events.subscribe() as news:
            await harness.ask("POST", "/api/inbox/approve", 202, json={"itemIds": [item["id"]]})
            async with asyncio.timeout(SECONDS):
                # The event of the first job may arrive late.
                while path.name not in (found := await inbox(harness)):
                    while "inbox.added" not in {frame.type for frame in await news.batch(1)}:
                        pass
        assert found[path.name]["reasons"][-1] == "file_changed"
