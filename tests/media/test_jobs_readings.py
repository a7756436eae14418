"""Ambiguous numbers, missing numbers and resolutions, from the file to its target in a job."""

from pathlib import Path
from typing import Any

import pytest

from tests.media.job_harness import job_harness_at

pytestmark = pytest.mark.anyio

# Names whose numbers only the episode list settles, with the numbers in the target.
NUMBERED = {
    "Breaking.Bad.105.HDTV.mkv": "S01E05",
    "Breaking Bad [Cap.204].mkv": "S02E04",
    "Breaking.Bad.103.104.HDTV.mkv": "S01E03-E04",
    "Breaking Bad - 1x01_02.mkv": "S01E01-E02",
    "Breaking Bad 3x03-x05.mkv": "S03E03-E05",
    "Breaking.Bad.S02E05b.mkv": "S02E05",
    "Breaking Bad - 60.mkv": "S05E14",
    "Breaking.Bad.20708.mkv": "S02E07-E08",
    "Band of Brothers Part Two.mkv": "S01E02",
    "Firefly - Out of Gas.mkv": "S01E08",
    # There is neither a tenth season nor a 1009th episode.
    "Firefly 1009.mkv": None,
}


def target_numbers(item: Any) -> str | None:
    if item["state"] != "ready":
        return None
    name: str = Path(item["target"]).stem
    return next((word for word in name.split() if word[:1] == "S" and word[1:3].isdigit()), name)


async def test_numbers_of_a_job_are_settled_by_the_episode_list(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as jobs:
        for name in NUMBERED:
            jobs.file(name)
        job = await jobs.start()
        items = await jobs.items(job["jobId"])
        assert {Path(item["path"]).name: target_numbers(item) for item in items} == NUMBERED


async def test_written_resolution_decides_which_file_of_a_job_is_kept(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as jobs:
        jobs.file("Inception.2010.1080p.UHD.BluRay.x264-GRP.mkv")
        jobs.file("Inception.2010.2160p.WEB-DL.x265-FHD.mkv")
        job = await jobs.start(conflictPolicy="keep_better")
        items = {Path(item["path"]).name: item for item in await jobs.items(job["jobId"])}
        states = {name: item["state"] for name, item in items.items()}
        assert states["Inception.2010.2160p.WEB-DL.x265-FHD.mkv"] == "ready"
        assert states["Inception.2010.1080p.UHD.BluRay.x264-GRP.mkv"] != "ready"
