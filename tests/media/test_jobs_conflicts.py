"""Duplicate targets and existing files."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.media.job_harness import JobHarness, job_harness_at
from tests.media.video_files import make_video

pytestmark = pytest.mark.anyio

SMALL, BIG = "Heat.1995.720p.WEB-DL.mkv", "Heat.1995.2160p.BluRay.mkv"


async def move_one(harness: JobHarness, name: str, **config: Any) -> Any:
    harness.file(name)
    job = await harness.start(harness.downloads / name, action="move", **config)
    return await harness.execute(job["jobId"])


def films(harness: JobHarness) -> list[str]:
    return sorted(path.name for path in harness.films.rglob("*.mkv*"))


async def test_hostile_1_two_files_with_one_target(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.file(f"a/{SMALL}")
        harness.file(f"b/{BIG}")
        job = await harness.start(action="move")
        first, second = await harness.items(job["jobId"])
        assert first["target"] == second["target"]
        assert (first["state"], second["state"]) == ("ready", "needs_review")
        assert {first["conflict"], second["conflict"]} == {"duplicate"}
        # With the first one excluded, the second is ready.
        await harness.change(job["jobId"], first["id"], excluded=True)
        first, second = await harness.items(job["jobId"])
        assert (first["state"], second["state"], second["conflict"]) == ("skipped", "ready", None)
        assert (await harness.execute(job["jobId"]))["items"]["done"] == 1
        assert (harness.downloads / "a" / SMALL).exists()


async def test_file_in_doubt_does_not_block_a_sure_one(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        # Without a year it could be another film of this name.
        harness.file("a/Heat.mkv")
        harness.file(f"b/{BIG}")
        job = await harness.start(action="move")
        unsure, sure = await harness.items(job["jobId"])
        assert (sure["state"], sure["conflict"]) == ("ready", None)
        assert (unsure["state"], unsure["conflict"]) == ("needs_review", "duplicate")


async def test_better_release_of_one_job_is_kept(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.file(f"a/{SMALL}", "a longer file")
        harness.file(f"b/{BIG}")
        job = await harness.start(action="move", conflictPolicy="keep_better")
        worse, better = await harness.items(job["jobId"])
        assert (worse["state"], better["state"]) == ("skipped", "ready")
        assert "worse_release" in worse["reasons"]
        assert (await harness.execute(job["jobId"]))["items"]["done"] == 1
        assert (harness.downloads / "a" / SMALL).exists()


async def test_existing_file_is_kept(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        await move_one(harness, SMALL)
        harness.file(BIG)
        job = await harness.start(action="move")
        (item,) = await harness.items(job["jobId"])
        assert (item["state"], item["conflict"]) == ("ready", "exists")
        job = await harness.execute(job["jobId"])
        (item,) = await harness.items(job["jobId"])
        assert (job["status"], item["state"]) == ("done", "skipped")
        assert item["error"]["code"] == "already_exists"
        assert (harness.downloads / BIG).exists() and len(films(harness)) == 1


async def test_better_release_is_kept(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        await move_one(harness, SMALL)
        job = await move_one(harness, BIG, conflictPolicy="keep_better")
        assert job["items"]["done"] == 1
        assert [".app-bak-" in name for name in films(harness)] == [False, True]
        job = await move_one(harness, SMALL, conflictPolicy="keep_better")
        (item,) = await harness.items(job["jobId"])
        assert (item["state"], item["error"]["code"]) == ("skipped", "not_better")


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"pixels": "yuv420p10le", "transfer": 16}, {"pixels": "yuv420p10le"}),
        ({}, {"codec": "mpeg4"}),
    ],
    ids=["HDR10", "H.264"],
)
async def test_better_release_is_decided_by_content(
    tmp_path: Path, better: dict[str, Any], worse: dict[str, Any]
) -> None:
    async with job_harness_at(tmp_path) as harness:
        make_video(harness.downloads / "Heat.1995.mkv", **better)
        await harness.execute((await harness.start(action="move"))["jobId"])
        larger = make_video(harness.downloads / "Heat.1995.XviD.mkv", **worse)
        with larger.open("ab") as file:
            file.write(bytes(1_000_000))
        id = (await harness.start(action="move", conflictPolicy="keep_better"))["jobId"]
        await harness.execute(id)
        (item,) = await harness.items(id)
        assert (item["state"], item["error"]["code"]) == ("skipped", "not_better")
        assert larger.exists() and len(films(harness)) == 1


async def test_keep_both_adds_a_number(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.file(f"a/{SMALL}")
        harness.file(f"b/{BIG}")
        job = await harness.start(action="copy", conflictPolicy="suffix")
        assert job["items"]["ready"] == 2
        assert (await harness.execute(job["jobId"]))["items"]["done"] == 2
        assert len(films(harness)) == 2 and (harness.downloads / "a" / SMALL).exists()


async def test_file_changed_since_preview_needs_review(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.file("Heat.1995.mkv")
        harness.file("Inception.2010.mkv")
        job = await harness.start(action="move")
        harness.file("Heat.1995.mkv", "more than before", fresh=True)
        (harness.downloads / "Inception.2010.mkv").unlink()
        job = await harness.execute(job["jobId"])
        heat, inception = await harness.items(job["jobId"])
        assert (heat["state"], heat["reasons"][-1]) == ("needs_review", "file_changed")
        assert (inception["state"], inception["error"]["code"]) == ("failed", "not_found")
        assert films(harness) == []


async def test_hostile_6_names_that_are_not_utf8(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        name = os.fsdecode(b"Heat.1995.\xe9.mkv")
        (harness.downloads / name).write_text("x")
        job = await harness.start(action="move")
        (item,) = await harness.items(job["jobId"])
        await harness.change(job["jobId"], item["id"], targetPath="Heat.mkv")
        assert (await harness.execute(job["jobId"]))["items"]["done"] == 1
        await harness.ask("POST", f"/api/jobs/{job['jobId']}/undo")
        assert (harness.downloads / name).exists()


async def test_missing_library_needs_review(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        for folder in await harness.ask("GET", "/api/folders"):
            if folder["kind"] == "movies":
                await harness.ask("DELETE", f"/api/folders/{folder['id']}", 204)
        harness.file("Heat.1995.mkv")
        job = await harness.start(action="move")
        (item,) = await harness.items(job["jobId"])
        assert (item["state"], item["reasons"][-1]) == ("needs_review", "no_library")
        job = await harness.preview(job["jobId"], action="move", target=str(harness.shows))
        assert job["items"]["ready"] == 1
        job = await harness.preview(job["jobId"], action="move", inPlace=True)
        (item,) = await harness.items(job["jobId"])
        assert Path(item["target"]).parent == harness.downloads
        assert (await harness.execute(job["jobId"]))["items"]["done"] == 1
