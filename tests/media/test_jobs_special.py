"""Disc folders, files without a catalog entry and a job cancelled during a copy."""

import asyncio
import contextlib
from pathlib import Path

import pytest

from quartet.media.roots import store as roots_store
from tests.media.job_harness import job_harness_at
from tests.prerequisites import second_file_system

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("inside", ["VIDEO_TS/VTS_01_1.VOB", "BDMV/STREAM/00001.m2ts"])
async def test_disc_folder_is_one_movie(tmp_path: Path, inside: str) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.file(f"Inception.2010.COMPLETE.DVD-GRP/{inside}")
        harness.file("Heat.1995.mkv")
        before = harness.tree()
        id = (await harness.start(action="move"))["jobId"]
        disc, _ = sorted(await harness.items(id), key=lambda one: one["path"], reverse=True)
        assert disc["target"] == str(harness.films / "Inception (2010)")
        await harness.execute(id)
        assert (harness.films / "Inception (2010)" / inside).is_file()
        await harness.ask("POST", f"/api/jobs/{id}/undo")
        assert harness.tree() == before


async def test_files_without_catalog_entry_use_other_target(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.file("Zzyzx holidays.mkv")
        targets = {"other": str(harness.shows / "own")}
        id = (await harness.start(action="move", targets=targets))["jobId"]
        (item,) = await harness.items(id)
        assert (item["state"], item["target"]) == ("needs_review", None)
        await harness.change(id, item["id"], targetPath="Summer/Beach")
        (item,) = await harness.items(id)
        assert item["target"] == str(harness.shows / "own/Summer/Beach.mkv")
        outside_error = {"paths": [str(harness.downloads)], "targets": {"other": "/etc"}}
        refused = await harness.client.code("POST", "/api/jobs/manual", json=outside_error)
        assert refused == (403, "outside_folders")


async def test_cancelled_during_copy(tmp_path: Path) -> None:
    with second_file_system(tmp_path) as disk:
        far = str(disk)
        async with job_harness_at(tmp_path) as harness:
            # The API refuses folders below /dev.
            db = harness.client.started.kernel.db
            await db.write(lambda tx: roots_store.add(tx.conn, far, "far", "folder", mounted=False))
            harness.file("Alien.1979.mkv", "small")
            harness.file("Heat.1995.mkv", "x" * 200_000_000)
            before = harness.tree()
            id = (await harness.start(action="move", target=far))["jobId"]
            await harness.ask("POST", f"/api/jobs/{id}/execute", 202, json={})
            await wait_for_copy(disk)
            await harness.ask("POST", f"/api/jobs/{id}/cancel", 202)
            job = await harness.wait_until_idle(id)
            counts = job["items"]
            assert (job["status"], counts["done"], counts["ready"]) == ("cancelled", 1, 1)
            left = [path for path in disk.rglob("*") if path.is_file()]
            assert [path.stat().st_size for path in left] == [len("small")]
            await harness.ask("POST", f"/api/jobs/{id}/undo")
            assert harness.tree() == before


async def wait_for_copy(far: Path) -> None:
    """Wait until the large copy has started under its temporary name."""
    async with asyncio.timeout(60):
        while True:
            with contextlib.suppress(
                FileNotFoundError
            ):  # The small file is renamed in the meantime.
                if any(path.stat().st_size > 5 for path in far.rglob("*") if path.is_file()):
                    return
            await asyncio.sleep(0.001)


async def test_subtitle_that_arrives_later_follows_its_video(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as at:
        name = "Firefly.S01E05.720p"
        at.file(f"{name}/{name}.mkv")
        await at.execute((await at.start(action="move"))["jobId"])
        at.file(f"{name}/{name}.pt-BR.forced.srt", "late")
        at.file("Serenity.en.srt", "of a video that was not moved")
        before = at.tree()
        job = await at.start(action="move")
        (item,) = await at.items(job["jobId"])
        assert (item["state"], item["reasons"]) == ("ready", ["follows_video"])
        await at.execute(job["jobId"])
        (video,) = at.shows.rglob("*.mkv")
        assert video.with_suffix(".pt-BR.forced.srt").read_text() == "late"
        await at.ask("POST", "/api/history/undo", json={"jobId": job["jobId"]})
        assert at.tree() == before
        # Without the video there is nothing to follow.
        video.unlink()
        assert await at.items((await at.start(action="move"))["jobId"]) == []
