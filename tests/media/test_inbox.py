"""Files nobody was sure about."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from quartet.media.jobs import store
from tests.media.workbench import SECONDS, Bench, bench_at

pytestmark = pytest.mark.anyio


async def filled(bench: Bench) -> Any:
    """One that is sure, one that is nearly so, and one nobody knows."""
    for name in ("Heat.1995.mkv", "Total.Recall.mkv", "zzz.mkv"):
        bench.file(f"new/{name}")
    job = await bench.ask("POST", "/api/jobs", 202, json={"path": str(bench.downloads / "new")})
    return await bench.rested(job["jobId"])


async def inbox(bench: Bench) -> dict[str, Any]:
    page = await bench.ask("GET", "/api/inbox")
    assert page["total"] == len(page["entries"])
    return {Path(one["item"]["path"]).name: one["item"] for one in page["entries"]}


async def test_what_is_sure_runs_and_the_rest_waits(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        job = await filled(bench)
        assert (job["status"], job["items"]["done"], job["items"]["needs_review"]) == (
            "ready",
            1,
            2,
        )
        waiting = await inbox(bench)
        assert set(waiting) == {"Total.Recall.mkv", "zzz.mkv"}
        assert (await bench.ask("GET", "/api/dashboard"))["inbox"] == 2
        page = await bench.ask("GET", "/api/inbox", params={"limit": 1})
        assert page["cursor"] == page["entries"][0]["item"]["id"]


async def test_approve_by_confidence_then_by_hand(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        job = await filled(bench)
        waiting = await inbox(bench)
        sure = waiting["Total.Recall.mkv"]["confidence"]
        path = "/api/inbox/approve"
        assert await bench.client.code("POST", path, json={}) == (400, "nothing_chosen")
        none = await bench.ask("POST", path, 202, json={"minConfidence": 1})
        assert none == {"approved": 0, "refused": 0}
        one = await bench.ask("POST", path, 202, json={"minConfidence": sure})
        assert one["approved"] == 1
        await bench.until(f"/api/jobs/{job['jobId']}", lambda one: one["items"]["done"] == 2)
        # What has no target cannot be approved.
        unknown = waiting["zzz.mkv"]["id"]
        refused = await bench.ask("POST", path, 202, json={"itemIds": [unknown]})
        assert refused == {"approved": 0, "refused": 1}
        await bench.change(job["jobId"], unknown, targetPath="Odd.mkv")
        assert await inbox(bench) == {}
        assert (await bench.execute(job["jobId"]))["status"] == "done"
        assert (bench.films / "Odd.mkv").exists()


async def test_reject(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        job = await filled(bench)
        ids = [one["id"] for one in (await inbox(bench)).values()]
        got = await bench.ask("POST", "/api/inbox/reject", json={"itemIds": [*ids, 999]})
        assert got == {"rejected": 2}
        assert await inbox(bench) == {}
        job = await bench.ask("GET", f"/api/jobs/{job['jobId']}")
        assert (job["status"], job["items"]["skipped"]) == ("done", 2)
        assert (bench.downloads / "new/zzz.mkv").exists()


async def test_review_keeps_everything_back(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        path = str(bench.file("Heat.1995.mkv"))
        async with bench.client.started.kernel.events.subscribe() as news:
            job = await bench.ask("POST", "/api/jobs", 202, json={"path": path, "review": True})
            await bench.rested(job["jobId"])
            wanted = {"job.progress", "item.updated", "inbox.added"}
            while wanted:
                wanted -= {frame.type for frame in await news.batch(1)}
        (item,) = (await inbox(bench)).values()
        assert item["confidence"] > 0.9 and Path(path).exists()
        await bench.ask("POST", "/api/inbox/approve", 202, json={"itemIds": [item["id"]]})
        await bench.until(f"/api/jobs/{job['jobId']}", lambda one: one["status"] == "done")
        assert not Path(path).exists()


@pytest.mark.parametrize("before", ["undone", "cancelled"])
async def test_approved_after_the_job_had_come_to_an_end(tmp_path: Path, before: str) -> None:
    async with bench_at(tmp_path) as bench:
        id = (await filled(bench))["jobId"]
        await bench.ask("POST", f"/api/jobs/{id}/undo")
        if before == "cancelled":
            await cancelled(bench, id)
        assert (await bench.ask("GET", f"/api/jobs/{id}"))["status"] == before
        wanted = (await inbox(bench))["Total.Recall.mkv"]["id"]
        got = await bench.ask("POST", "/api/inbox/approve", 202, json={"itemIds": [wanted]})
        assert got == {"approved": 1, "refused": 0}
        await bench.until(f"/api/jobs/{id}", lambda job: job["items"]["done"] == 1)
        assert not (bench.downloads / "new/Total.Recall.mkv").exists()


async def cancelled(bench: Bench, id: int) -> None:
    """As one whose second run was cancelled while it waited for its turn."""
    db = bench.client.started.kernel.db
    await db.write(lambda tx: store.change(tx.conn, id, status="cancelled"))


async def test_a_file_that_changed_before_its_turn_is_told_of(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        path = bench.file("Heat.1995.mkv")
        job = await bench.ask("POST", "/api/jobs", 202, json={"path": str(path), "review": True})
        await bench.rested(job["jobId"])
        (item,) = (await inbox(bench)).values()
        bench.file("Heat.1995.mkv", "more than before", fresh=True)
        async with bench.client.started.kernel.events.subscribe() as news:
            await bench.ask("POST", "/api/inbox/approve", 202, json={"itemIds": [item["id"]]})
            async with asyncio.timeout(SECONDS):
                while "inbox.added" not in {frame.type for frame in await news.batch(1)}:
                    pass
        assert (await inbox(bench))[path.name]["reasons"][-1] == "file_changed"
