"""Photos: date folders from EXIF, bursts, and files that follow."""

import datetime
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from quartet.media.probe.media_header import read_media
from quartet.media.tagged.followers import sidecars_of
from quartet.media.tagged.photo_dates import taken_at
from quartet.media.tagged.types import TaggedFile
from tests.media.job_harness import JobHarness, job_harness_at
from tests.media.test_watch import check_folder, jobs, watch
from tests.media.video_files import make_video

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def photo_harness(base: Path) -> AsyncIterator[JobHarness]:
    async with job_harness_at(base) as at:
        library = base / "photos"
        library.mkdir()
        await at.ask("POST", "/api/folders", 201, json={"path": str(library), "kind": "photos"})
        yield at


def make_photo(path: Path, taken: str | None, subsec: str | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    about = Image.Exif()
    details = about.get_ifd(0x8769)
    if taken:
        details[0x9003] = taken
    if subsec:
        details[0x9291] = subsec
    # The place must never be read.
    place = about.get_ifd(0x8825)
    place[1], place[2] = "N", (47.0, 33.0, 7.0)
    Image.new("RGB", (8, 8)).save(path, "JPEG", exif=about)
    return path


async def targets(at: JobHarness, job: Any) -> dict[str, str | None]:
    top = str(at.downloads.parent / "photos")
    return {
        Path(item["path"]).name: item["target"] and str(Path(item["target"]).relative_to(top))
        for item in await at.items(job["jobId"])
    }


async def test_photos_are_filed_by_date_with_their_sidecars_and_undone(tmp_path: Path) -> None:
    async with photo_harness(tmp_path) as at:
        make_photo(at.downloads / "IMG_1.JPG", "2024:05:31 18:04:09")
        (at.downloads / "IMG_1.AAE").write_text("edits")
        (at.downloads / "IMG_1.MOV").write_text("moving part of the live photo")
        (at.downloads / "IMG_1.JPG.xmp").write_text("more edits")
        before = at.tree()
        job = await at.start(mode="photos", action="move")
        (item,) = await at.items(job["jobId"])
        assert (item["state"], len(item["companions"])) == ("ready", 3)
        await at.execute(job["jobId"])
        filed = tmp_path / "photos/2024/2024-05"
        stem = "2024-05-31 18.04.09"
        assert sorted(one.name for one in filed.iterdir()) == [
            f"{stem}.aae", f"{stem}.jpg", f"{stem}.jpg.xmp", f"{stem}.mov"
        ]  # fmt: skip
        await at.ask("POST", "/api/history/undo", json={"jobId": job["jobId"]})
        assert at.tree() == before


async def test_photos_in_watch_folder_are_filed_once(tmp_path: Path) -> None:
    async with photo_harness(tmp_path) as at:
        folder = await watch(at, enabled=False, mode="photos")
        make_photo(at.downloads / "camera/IMG_1.JPG", "2024:05:31 18:04:09")
        make_photo(at.downloads / "IMG_2.JPG", "2023:01:02 03:04:05")
        at.file("notes.txt", fresh=True)
        await check_folder(at, folder)
        found = await jobs(at, 2)
        assert [job["items"]["done"] for job in found] == [1, 1]
        filed = {one.parent.name for one in (tmp_path / "photos").rglob("*.jpg")}
        assert len(filed) == 2 and (at.downloads / "notes.txt").exists()
        await check_folder(at, folder)
        assert len((await at.ask("GET", "/api/jobs"))["jobs"]) == 2


async def test_burst_of_one_second_is_numbered_in_order(tmp_path: Path) -> None:
    async with photo_harness(tmp_path) as at:
        second = "2024:05:31 18:04:09"
        make_photo(at.downloads / "B3.jpg", second, "30")
        make_photo(at.downloads / "B1.jpg", second, "70")
        make_photo(at.downloads / "B2.jpg", second, "10")
        # The RAW photo of `B1.jpg`; TIFF data is enough for its date.
        data = (at.downloads / "B1.jpg").read_bytes()
        (at.downloads / "B1.nef").write_bytes(data[data.index(b"Exif\0\0") + 6 :])
        job = await at.start(mode="photos")
        stem = "2024/2024-05/2024-05-31 18.04.09"
        assert await targets(at, job) == {
            "B2.jpg": f"{stem}.jpg",
            "B3.jpg": f"{stem}-2.jpg",
            "B1.jpg": f"{stem}-3.jpg",
            "B1.nef": f"{stem}-3.nef",
        }
        assert {one["conflict"] for one in await at.items(job["jobId"])} == {None}


async def test_photo_without_date_needs_review(tmp_path: Path) -> None:
    async with photo_harness(tmp_path) as at:
        photo = make_photo(at.downloads / "scan.jpg", None)
        os.utime(photo, (1_600_000_000, 1_600_000_000))
        make_photo(at.downloads / "IMG-20240531-WA0001.jpg", None)
        job = await at.start(mode="photos")
        states = {Path(one["path"]).name: one for one in await at.items(job["jobId"])}
        assert states["scan.jpg"]["state"] == "needs_review"
        assert "date_from_file" in states["scan.jpg"]["reasons"]
        assert states["IMG-20240531-WA0001.jpg"]["state"] == "ready"


async def test_place_is_neither_stored_nor_returned(tmp_path: Path) -> None:
    photo = make_photo(tmp_path / "a.jpg", "2024:05:31 18:04:09")
    place = {"location": "+47.5+007.6/", "title": "t"}
    video = make_video(tmp_path / "a.mkv", codec="mpeg4", tags=place)
    assert read_media(photo).tags == {"taken": "2024:05:31 18:04:09"}
    assert "47.5" not in str(read_media(video).tags)
    async with photo_harness(tmp_path) as at:
        make_photo(at.downloads / "b.jpg", "2024:05:31 18:04:09")
        job = await at.start(mode="photos")
        answer = await at.client.get(f"/api/jobs/{job['jobId']}/items")
        assert "gps" not in answer.text.lower()


def photo(name: str, **tags: str) -> TaggedFile:
    return TaggedFile(path=f"/p/{name}", modified_ns=10**18, tags=tags)


@pytest.mark.parametrize(
    ("name", "tags", "expected"),
    [
        ("a.jpg", {"taken": "2024:05:31 18:04:09"}, "2024-05-31 18:04:09"),
        ("a.jpg", {"taken": "0000:00:00 00:00:00", "modified": "2024:01:02 03:04:05"},
         "2024-01-02 03:04:05"),
        ("a.mov", {"com.apple.quicktime.creationdate": "2024-05-31T18:04:09+0200"},
         "2024-05-31 18:04:09"),
        ("PXL_20240531_180409123.mp4", {}, "2024-05-31 18:04:09"),
        ("WhatsApp Image 2024-05-31 at 18.04.09.jpeg", {}, "2024-05-31 18:04:09"),
        ("2024-05-31 18.04.09-2.jpg", {}, "2024-05-31 18:04:09"),
        ("IMG-20240531-WA0001.jpg", {}, "2024-05-31 00:00:00"),
    ],
)  # fmt: skip
def test_date_of_a_photo(name: str, tags: dict[str, str], expected: str) -> None:
    assert taken_at(photo(name, **tags)).time == datetime.datetime.fromisoformat(expected)


def test_sidecars_follow_their_photo() -> None:
    names = ["a.CR2", "a.jpg", "a.xmp", "a.AAE", "a.mov", "b.mov", "b.xmp", "c.heic", "c.MOV"]
    found = {owner: {one.source for one in some} for owner, some in sidecars_of(names).items()}
    assert found == {
        "a.CR2": {"a.xmp"},
        "a.jpg": {"a.AAE", "a.mov"},
        "b.mov": {"b.xmp"},
        "c.heic": {"c.MOV"},
    }
