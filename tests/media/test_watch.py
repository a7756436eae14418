"""Folders that are watched: new files are put away once they are whole."""

import asyncio
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from quartet.media.watch.mounts import is_silent
from quartet.media.watch.types import WatchFolder
from quartet.media.watch.watcher import Rooms, Watcher
from tests.media.workbench import Bench, bench_at

pytestmark = pytest.mark.anyio


async def watch(bench: Bench, path: Path | None = None, **options: Any) -> Any:
    body = {"name": "New", "path": str(path or bench.downloads), "stableSeconds": 1, **options}
    return await bench.ask("POST", "/api/watch-folders", 201, json=body)


async def jobs(bench: Bench, done: int) -> list[Any]:
    """As soon as so many of them rest."""
    page = await bench.until(
        "/api/jobs",
        lambda page: len([one for one in page["jobs"] if one["status"] == "done"]) >= done,
    )
    found: list[Any] = page["jobs"]
    return found


async def test_a_release_that_fills_slowly_is_one_job(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        folder = await watch(bench)
        async with bench.client.started.kernel.events.subscribe() as news:
            # Each comes before the one before has been there long enough.
            for number in (5, 6, 7):
                bench.file(f"Firefly.S01/Firefly.S01E0{number}.mkv", fresh=True)
                await asyncio.sleep(0.6)
            (job,) = await jobs(bench, 1)
            told = [frame for frame in await news.batch(1) if frame.type == "watch.detected"]
        assert (job["kind"], job["items"]["done"]) == ("watch", 3)
        assert job["watchFolderId"] == folder["id"] and len(told) == 1
        assert not (bench.downloads / "Firefly.S01").exists() and bench.downloads.exists()
        (folder,) = await bench.ask("GET", "/api/watch-folders")
        assert folder["lastEventAt"] > folder["createdAt"] and folder["problem"] is None


async def test_polling_partial_files_and_copies(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        await watch(bench, watchBy="polling", action="copy")
        bench.file("Heat.1995.mkv", fresh=True)
        bench.file("Heat.1995.mkv.part", fresh=True)
        bench.file("a/Inception.2010.mkv", fresh=True)
        (job,) = await jobs(bench, 1)
        assert job["paths"] == [str(bench.downloads / "a")]
        (bench.downloads / "Heat.1995.mkv.part").unlink()
        await bench.ask("PUT", "/api/watch-folders/1", json=await options(bench))
        found = await jobs(bench, 2)
        assert [one["items"]["done"] for one in found] == [1, 1]
        # A copy leaves its source behind, which is no reason to copy it again.
        await bench.ask("PUT", "/api/watch-folders/1", json=await options(bench))
        await asyncio.sleep(2.5)
        assert len(await jobs(bench, 2)) == 2


async def options(bench: Bench) -> dict[str, Any]:
    """Saved again, a folder is looked at at once."""
    (folder,) = await bench.ask("GET", "/api/watch-folders")
    return {name: value for name, value in folder.items() if name != "id"}


async def test_caught_up_after_a_restart_and_only_once(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        await watch(bench, autoThreshold=None)
        bench.file("Heat.1995.mkv", fresh=True)
        await bench.until("/api/inbox", lambda page: page["total"] == 1)
    bench.file("Inception.2010.mkv", fresh=True)
    async with bench_at(tmp_path, new=False) as bench:
        await bench.until("/api/inbox", lambda page: page["total"] == 2)
        assert len((await bench.ask("GET", "/api/jobs"))["jobs"]) == 2


async def test_no_loop_when_the_library_lies_inside(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        inner = bench.downloads / "films"
        inner.mkdir()
        await watch(bench, targets={"movie": str(inner), "series": str(bench.downloads)})
        bench.file("Heat.1995.mkv", fresh=True)
        bench.file("Firefly.S01E05.mkv", fresh=True)
        assert len(await jobs(bench, 2)) == 2
        assert list(inner.rglob("*.mkv"))
        await asyncio.sleep(2.5)
        assert len((await bench.ask("GET", "/api/jobs"))["jobs"]) == 2


async def looked_at(bench: Bench, folder: Any, *, since: int | None = None) -> None:
    """By somebody who has just started; `since` is when the folder was added."""
    given = bench.client.started.built.dependencies
    rooms = Rooms(
        bench.client.started.kernel.db,
        *(given[name] for name in ("folders", "moves", "jobs", "watch_folders")),  # type: ignore[arg-type]
    )
    folder = msgspec.convert(folder, WatchFolder)
    watcher = Watcher(rooms, msgspec.structs.replace(folder, created_at=since or folder.created_at))
    while await watcher.look():
        await asyncio.sleep(0.2)


async def test_what_lay_there_before_stays(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        bench.file("Heat.1995.mkv", fresh=True)
        made = await watch(bench, enabled=False)
        # As if the folder had been added long after the file came.
        await looked_at(bench, made, since=made["createdAt"] + 10_000)
        assert (await bench.ask("GET", "/api/jobs"))["jobs"] == []


async def test_old_episodes_stay_when_a_new_one_comes(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        folder = await watch(bench, enabled=False)
        for number in (5, 6):
            bench.file(f"Firefly/Firefly.S01E0{number}.mkv", fresh=True)
        await asyncio.sleep(0.1)  # the clock of the disk is a coarse one
        since = time.time_ns() // 1_000_000 + 2000  # with what clocks may differ
        await asyncio.sleep(0.1)
        new = bench.file("Firefly/Firefly.S01E07.mkv", fresh=True)
        await looked_at(bench, folder, since=since)
        (job,) = (await bench.ask("GET", "/api/jobs"))["jobs"]
        assert job["paths"] == [str(new)]


async def test_another_path_is_watched_from_then_on(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        first = await watch(bench, enabled=False)
        await asyncio.sleep(0.01)
        path = f"/api/watch-folders/{first['id']}"
        body = {"name": "Other name", "path": str(bench.downloads), "enabled": False}
        assert (await bench.ask("PUT", path, json=body))["createdAt"] == first["createdAt"]
        body["path"] = str(bench.films)
        assert (await bench.ask("PUT", path, json=body))["createdAt"] > first["createdAt"]


async def test_folders_are_looked_after(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        one = await watch(bench, stableSeconds=3600)
        path = "/api/watch-folders"
        for body, code in (
            ({"name": "x", "path": "/etc"}, (403, "outside_folders")),
            ({"name": "x", "path": f"{bench.downloads}/none"}, (404, "not_found")),
            ({"name": "NEW", "path": str(bench.films)}, (409, "watch_folder_known")),
            ({"name": "y", "path": str(bench.downloads)}, (409, "watch_folder_known")),
            ({"name": "y", "path": str(bench.films), "stableSeconds": 0}, (400, "invalid_request")),
            ({"name": " ", "path": str(bench.films)}, (400, "invalid_request")),
            (
                {"name": "y", "path": str(bench.films), "targets": {"movie": "/etc"}},
                (403, "outside_folders"),
            ),
        ):
            assert await bench.client.code("POST", path, json=body) == code, body
        await bench.ask("DELETE", f"{path}/{one['id']}", 204)
        gone = await bench.client.code("DELETE", f"{path}/{2**70}")
        assert gone == (404, "watch_folder_not_found")
        assert await bench.ask("GET", path) == []


async def test_a_folder_that_is_gone_says_so(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        inner = bench.downloads / "inner"
        inner.mkdir()
        await watch(bench, inner, watchBy="polling")
        inner.rmdir()
        body = {"name": "Other", "path": str(bench.films), "enabled": False}
        await bench.ask("POST", "/api/watch-folders", 201, json=body)
        found = await bench.until("/api/watch-folders", lambda all: all[0]["problem"] is not None)
        assert found[0]["problem"]["code"] == "not_found"


def test_disks_that_tell_nobody(tmp_path: Path) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(
        "1 0 8:1 / / rw - ext4 /dev/sda rw\n"
        "2 1 0:5 / /mnt/my\\040nas rw shared:1 - nfs4 nas:/x rw\n"
        "3 2 8:2 / /mnt/my\\040nas/disk rw - xfs /dev/sdb rw\n"
        "4 1 0:9 / /pool rw - fuse.mergerfs a rw\n"
        "5 1 0:7 / /mnt/动漫\\134\\040x rw - cifs //nas/x rw\n"
    )
    silent = ("/mnt/my nas", "/mnt/my nas/a", "/pool/x", "/mnt/动漫\\ x/new")
    assert [is_silent(path, table) for path in silent] == [True] * 4
    assert not any(is_silent(path, table) for path in ("/home", "/mnt/my nas/disk/a", "/pools"))


async def test_what_it_needs_cannot_be_removed(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        short = {"name": "Short", "kind": "movie", "template": "{n}"}
        format = (await bench.ask("POST", "/api/formats", 201, json=short))["id"]
        targets = {"movie": str(bench.films / "new")}
        folder = await watch(bench, enabled=False, formats={"movie": format}, targets=targets)
        for used in (1, 2):
            refused = await bench.client.code("DELETE", f"/api/folders/{used}")
            assert refused == (409, "folder_watched")
        refused = await bench.client.code("DELETE", f"/api/formats/{format}")
        assert refused == (409, "format_watched")
        await bench.ask("DELETE", "/api/folders/3", 204)
        await bench.ask("DELETE", f"/api/watch-folders/{folder['id']}", 204)
        await bench.ask("DELETE", f"/api/formats/{format}", 204)
        await bench.ask("DELETE", "/api/folders/1", 204)
