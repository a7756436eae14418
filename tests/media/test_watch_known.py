"""Files of earlier jobs are not picked up again, even if the job was removed."""

from pathlib import Path
from typing import Any

import pytest

from quartet.media.jobs import store_seen_files
from quartet.media.jobs.service import Jobs
from tests.media.job_harness import JobHarness, job_harness_at
from tests.media.test_watch import check_folder, watch

pytestmark = pytest.mark.anyio


async def create_job_for(harness: JobHarness, folder: Any, name: str) -> int:
    """Return the job of a new file."""
    harness.file(name, fresh=True)
    await check_folder(harness, folder)
    id: int = (await harness.ask("GET", "/api/jobs"))["jobs"][0]["jobId"]
    await harness.wait_until_idle(id)
    return id


async def test_file_of_removed_job_is_not_copied_again(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        folder = await watch(harness, enabled=False, action="copy", conflictPolicy="suffix")
        id = await create_job_for(harness, folder, "Heat.1995.mkv")
        await harness.ask("DELETE", f"/api/jobs/{id}", 204)
        await check_folder(harness, folder)
        assert (await harness.ask("GET", "/api/jobs"))["jobs"] == []
        # Another file with that name is new.
        again = await create_job_for(harness, folder, "Heat.1995.mkv")
        assert again != id and len(list(harness.films.rglob("*.mkv"))) == 2


async def test_restored_and_rejected_files_are_not_picked_up(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        folder = await watch(harness, enabled=False)
        first = await create_job_for(harness, folder, "Heat.1995.mkv")
        await harness.ask("POST", f"/api/jobs/{first}/undo")
        await harness.ask("DELETE", f"/api/jobs/{first}", 204)
        second = await create_job_for(harness, folder, "Inception.2010.mkv")
        await harness.ask("DELETE", f"/api/jobs/{second}", 204)
        await harness.ask("POST", "/api/history/undo", json={"jobId": second})
        third = await create_job_for(harness, folder, "zzz.mkv")
        rejected = [one["id"] for one in await harness.items(third)]
        await harness.ask("POST", "/api/inbox/reject", json={"itemIds": rejected})
        await harness.ask("DELETE", f"/api/jobs/{third}", 204)
        before = harness.tree()
    async with job_harness_at(tmp_path, new=False) as harness:
        await check_folder(harness, folder)
        assert (await harness.ask("GET", "/api/jobs"))["jobs"] == []
        assert harness.tree() == before and len(before) == 3


async def test_missing_files_are_forgotten(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        folder = await watch(harness, enabled=False, autoThreshold=None)
        db = harness.client.started.kernel.db
        jobs: Jobs = harness.client.started.built.dependencies["jobs"]  # type: ignore[assignment]
        for name in ("Heat.1995.mkv", "Inception.2010.mkv"):
            id = await create_job_for(harness, folder, name)
            await harness.ask("DELETE", f"/api/jobs/{id}", 204)
            await jobs.forget_missing_files()
            (kept,) = await db.read(store_seen_files.every)
            assert kept[0] == str(harness.downloads / name)
            (harness.downloads / name).unlink()
