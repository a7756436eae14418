"""Watch folders: new files become jobs once they are complete."""

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from quartet.media.jobs.records import JobRecord
from quartet.media.roots.mounts import needs_polling
from quartet.media.watch.types import WatchFolder
from quartet.media.watch.watcher import Watcher, WatchServices
from tests.media.job_harness import JobHarness, job_harness_at

pytestmark = pytest.mark.anyio


async def watch(harness: JobHarness, path: Path | None = None, **options: Any) -> Any:
    body = {"name": "New", "path": str(path or harness.downloads), "stableSeconds": 1, **options}
    return await harness.ask("POST", "/api/watch-folders", 201, json=body)


async def jobs(harness: JobHarness, done: int) -> list[Any]:
    """Return the jobs once this many are done."""
    page = await harness.until(
        "/api/jobs",
        lambda page: len([one for one in page["jobs"] if one["status"] == "done"]) >= done,
    )
    found: list[Any] = page["jobs"]
    return found


async def test_slowly_growing_release_is_one_job(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        folder = await watch(harness, stableSeconds=4)
        async with harness.client.started.kernel.events.subscribe() as news:
            # Each arrives before the previous one is considered stable.
            for number in (5, 6, 7):
                harness.file(f"Firefly.S01/Firefly.S01E0{number}.mkv", fresh=True)
                await asyncio.sleep(0.3)
            (job,) = await jobs(harness, 1)
            told = [frame for frame in await news.batch(1) if frame.type == "watch.detected"]
        assert (job["kind"], job["items"]["done"]) == ("watch", 3)
        assert job["watchFolderId"] == folder["id"] and len(told) == 1
        assert not (harness.downloads / "Firefly.S01").exists() and harness.downloads.exists()
        (folder,) = await harness.ask("GET", "/api/watch-folders")
        assert folder["lastEventAt"] > folder["createdAt"] and folder["problem"] is None


async def test_polling_partial_files_and_copies(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        await watch(harness, watchBy="polling", action="copy")
        harness.file("Heat.1995.mkv", fresh=True)
        harness.file("Heat.1995.mkv.part", fresh=True)
        harness.file("a/Inception.2010.mkv", fresh=True)
        (job,) = await jobs(harness, 1)
        assert job["paths"] == [str(harness.downloads / "a")]
        (harness.downloads / "Heat.1995.mkv.part").unlink()
        await harness.ask("PUT", "/api/watch-folders/1", json=await options(harness))
        found = await jobs(harness, 2)
        assert [one["items"]["done"] for one in found] == [1, 1]
        # A copied file stays and is not copied again.
        await harness.ask("PUT", "/api/watch-folders/1", json=await options(harness))
        await asyncio.sleep(2.5)
        assert len(await jobs(harness, 2)) == 2


async def options(harness: JobHarness) -> dict[str, Any]:
    """Return the folder's settings; saving them again triggers a check."""
    (folder,) = await harness.ask("GET", "/api/watch-folders")
    return {name: value for name, value in folder.items() if name != "id"}


async def test_new_files_are_found_after_restart_once(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        await watch(harness, autoThreshold=None)
        harness.file("Heat.1995.mkv", fresh=True)
        await harness.until("/api/inbox", lambda page: page["total"] == 1)
    harness.file("Inception.2010.mkv", fresh=True)
    async with job_harness_at(tmp_path, new=False) as harness:
        await harness.until("/api/inbox", lambda page: page["total"] == 2)
        assert len((await harness.ask("GET", "/api/jobs"))["jobs"]) == 2


async def test_library_inside_watch_folder_causes_no_loop(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        inner = harness.downloads / "films"
        inner.mkdir()
        await watch(harness, targets={"movie": str(inner), "series": str(harness.downloads)})
        harness.file("Heat.1995.mkv", fresh=True)
        harness.file("Firefly.S01E05.mkv", fresh=True)
        assert len(await jobs(harness, 2)) == 2
        assert list(inner.rglob("*.mkv"))
        await asyncio.sleep(2.5)
        assert len((await harness.ask("GET", "/api/jobs"))["jobs"]) == 2


async def check_folder(
    harness: JobHarness,
    folder: Any,
    *,
    since: int | None = None,
    collected: "CollectedJobs | None" = None,
) -> None:
    """Check the folder with a new watcher; `since` is when the folder was added."""
    given = dict(harness.client.started.built.dependencies)
    given |= {"jobs": collected} if collected else {}
    rooms = WatchServices(
        harness.client.started.kernel.db,
        *(given[name] for name in ("folders", "moves", "jobs", "watch_folders")),  # type: ignore[arg-type]
    )
    folder = msgspec.convert(folder, WatchFolder)
    watcher = Watcher(rooms, msgspec.structs.replace(folder, created_at=since or folder.created_at))
    while await watcher.check():
        await asyncio.sleep(0.2)


async def test_existing_files_are_ignored(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.file("Heat.1995.mkv", fresh=True)
        made = await watch(harness, enabled=False)
        # As if the folder had been added long after the file arrived.
        await check_folder(harness, made, since=made["createdAt"] + 10_000)
        assert (await harness.ask("GET", "/api/jobs"))["jobs"] == []


async def test_old_folder_that_is_moved_here_is_handled(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        file = harness.file("Heat.1995/Heat.1995.mkv", fresh=True)
        release = tmp_path / "elsewhere"
        file.parent.rename(release)
        os.utime(release, (0, 0))
        made = await watch(harness, enabled=False)
        await asyncio.sleep(0.1)  # file system timestamps are coarse
        since = time.time_ns() // 1_000_000 + 2000  # plus the clock tolerance
        await asyncio.sleep(0.1)
        release.rename(file.parent)
        await check_folder(harness, made, since=since)
        (job,) = (await harness.ask("GET", "/api/jobs"))["jobs"]
        assert job["paths"] == [str(file.parent)]


async def test_old_episodes_are_ignored_when_a_new_one_arrives(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        folder = await watch(harness, enabled=False)
        for number in (5, 6):
            harness.file(f"Firefly/Firefly.S01E0{number}.mkv", fresh=True)
        await asyncio.sleep(0.1)  # file system timestamps are coarse
        since = time.time_ns() // 1_000_000 + 2000  # plus the clock tolerance
        await asyncio.sleep(0.1)
        new = harness.file("Firefly/Firefly.S01E07.mkv", fresh=True)
        await check_folder(harness, folder, since=since)
        (job,) = (await harness.ask("GET", "/api/jobs"))["jobs"]
        assert job["paths"] == [str(new)]


async def test_changed_path_is_watched_from_then_on(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        first = await watch(harness, enabled=False)
        await asyncio.sleep(0.01)
        path = f"/api/watch-folders/{first['id']}"
        body = {"name": "Other name", "path": str(harness.downloads), "enabled": False}
        assert (await harness.ask("PUT", path, json=body))["createdAt"] == first["createdAt"]
        body["path"] = str(harness.films)
        assert (await harness.ask("PUT", path, json=body))["createdAt"] > first["createdAt"]


async def test_invalid_watch_folders_are_refused(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        one = await watch(harness, stableSeconds=3600)
        path = "/api/watch-folders"
        for body, code in (
            ({"name": "x", "path": "/etc"}, (403, "outside_folders")),
            ({"name": "x", "path": f"{harness.downloads}/none"}, (404, "not_found")),
            ({"name": "NEW", "path": str(harness.films)}, (409, "watch_folder_known")),
            ({"name": "y", "path": str(harness.downloads)}, (409, "watch_folder_known")),
            (
                {"name": "y", "path": str(harness.films), "stableSeconds": 0},
                (400, "invalid_request"),
            ),
            ({"name": " ", "path": str(harness.films)}, (400, "invalid_request")),
            (
                {"name": "y", "path": str(harness.films), "targets": {"movie": "/etc"}},
                (403, "outside_folders"),
            ),
        ):
            assert await harness.client.code("POST", path, json=body) == code, body
        await harness.ask("DELETE", f"{path}/{one['id']}", 204)
        gone = await harness.client.code("DELETE", f"{path}/{2**70}")
        assert gone == (404, "watch_folder_not_found")
        assert await harness.ask("GET", path) == []


async def test_missing_folder_is_reported(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        inner = harness.downloads / "inner"
        inner.mkdir()
        await watch(harness, inner, watchBy="polling")
        inner.rmdir()
        body = {"name": "Other", "path": str(harness.films), "enabled": False}
        await harness.ask("POST", "/api/watch-folders", 201, json=body)
        found = await harness.until("/api/watch-folders", lambda all: all[0]["problem"] is not None)
        assert found[0]["problem"]["code"] == "not_found"


def test_file_systems_without_events(tmp_path: Path) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(
        "1 0 8:1 / / rw - ext4 /dev/sda rw\n"
        "2 1 0:5 / /mnt/my\\040nas rw shared:1 - nfs4 nas:/x rw\n"
        "3 2 8:2 / /mnt/my\\040nas/disk rw - xfs /dev/sdb rw\n"
        "4 1 0:9 / /pool rw - fuse.mergerfs a rw\n"
        "5 1 0:7 / /mnt/动漫\\134\\040x rw - cifs //nas/x rw\n"
    )
    silent = ("/mnt/my nas", "/mnt/my nas/a", "/pool/x", "/mnt/动漫\\ x/new")
    assert [needs_polling(path, table) for path in silent] == [True] * 4
    assert not any(needs_polling(path, table) for path in ("/home", "/mnt/my nas/disk/a", "/pools"))


async def test_used_folders_and_formats_cannot_be_removed(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        short = {"name": "Short", "kind": "movie", "template": "{n}"}
        format = (await harness.ask("POST", "/api/formats", 201, json=short))["id"]
        targets = {"movie": str(harness.films / "new")}
        folder = await watch(harness, enabled=False, formats={"movie": format}, targets=targets)
        for used in (1, 2):
            refused = await harness.client.code("DELETE", f"/api/folders/{used}")
            assert refused == (409, "folder_watched")
        refused = await harness.client.code("DELETE", f"/api/formats/{format}")
        assert refused == (409, "format_watched")
        await harness.ask("DELETE", "/api/folders/3", 204)
        await harness.ask("DELETE", f"/api/watch-folders/{folder['id']}", 204)
        await harness.ask("DELETE", f"/api/formats/{format}", 204)
        await harness.ask("DELETE", "/api/folders/1", 204)


async def test_many_files_share_one_job(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        folder = await watch(harness, enabled=False, conflictPolicy="suffix")
        for number in range(30):
            harness.file(f"Heat.1995.{number}.mkv", fresh=True)
        await check_folder(harness, folder)
        (job,) = await jobs(harness, 1)
        assert job["items"]["done"] == 30 and not list(harness.downloads.iterdir())


async def test_existing_files_count_on_request(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        file = harness.file("Heat.1995.mkv", fresh=True)
        made = await watch(harness, enabled=False, existing=True)
        # As if the folder had been added long after the file arrived.
        await check_folder(harness, made, since=made["createdAt"] + 10_000)
        (job,) = await jobs(harness, 1)
        assert job["paths"] == [str(file)]


async def test_subtitle_that_arrives_later_follows_its_video(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        folder = await watch(harness, enabled=False)
        harness.file("Firefly.S01/Firefly.S01E05.mkv", fresh=True)
        await check_folder(harness, folder)
        await jobs(harness, 1)
        (video,) = harness.shows.rglob("*.mkv")
        # The next episode arrives with the subtitles of both.
        harness.file("Firefly.S01/Firefly.S01E06.mkv", fresh=True)
        harness.file("Firefly.S01/Firefly.S01E05.en.srt", "late", fresh=True)
        harness.file("Firefly.S01/Firefly.S01E06.en.srt", fresh=True)
        await check_folder(harness, folder)
        await jobs(harness, 2)
        assert video.with_suffix(".en.srt").read_text() == "late"
        # A single subtitle, and one of a video that was never here.
        harness.file("Firefly.S01/Firefly.S01E06.de.srt", fresh=True)
        left = harness.file("Serenity.en.srt", fresh=True)
        await check_folder(harness, folder)
        newest, *_ = await jobs(harness, 3)
        assert newest["paths"] == [str(harness.downloads / "Firefly.S01/Firefly.S01E06.de.srt")]
        assert len(list(harness.shows.rglob("*.srt"))) == 3 and left.exists()
        await check_folder(harness, folder)
        assert len((await harness.ask("GET", "/api/jobs"))["jobs"]) == 3
        # In a folder for subtitles, and in one for those of the episode.
        harness.file("Firefly.S01/Subs/Firefly.S01E05.fr.srt", fresh=True)
        harness.file("Firefly.S01/Subs/Firefly.S01E05/3_Spanish.srt", fresh=True)
        await check_folder(harness, folder)
        await jobs(harness, 4)
        assert video.with_suffix(".fr.srt").exists() and video.with_suffix(".es.srt").exists()


async def test_subtitle_that_was_copied_with_its_video_is_not_late(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        folder = await watch(harness, enabled=False, action="copy")
        harness.file("Firefly.S01E05.mkv", fresh=True)
        harness.file("Firefly.S01E05.en.srt", fresh=True)
        await check_folder(harness, folder)
        await jobs(harness, 1)
        await check_folder(harness, folder)
        assert len((await harness.ask("GET", "/api/jobs"))["jobs"]) == 1
        assert len(list(harness.shows.rglob("*.srt"))) == 1


class CollectedJobs:
    """Takes the place of the service that runs jobs."""

    def __init__(self) -> None:
        self.records: list[JobRecord] = []

    async def submit(self, job: JobRecord) -> None:
        self.records.append(job)


async def test_two_thousand_files_become_two_jobs(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        folder = await watch(harness, enabled=False)
        for number in range(2000):
            harness.file(f"Heat.1995.{number}.mkv", "x", fresh=True)
        collected = CollectedJobs()
        await check_folder(harness, folder, collected=collected)
        assert [len(job.paths) for job in collected.records] == [1000, 1000]
