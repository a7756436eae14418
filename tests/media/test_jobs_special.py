"""Discs that are folders, files no catalog knows, and a job that is stopped while it copies."""

import asyncio
import contextlib
from pathlib import Path

import pytest

from quartet.media.roots import store as roots_store
from tests.media.workbench import bench_at
from tests.prerequisites import second_file_system

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("inside", ["VIDEO_TS/VTS_01_1.VOB", "BDMV/STREAM/00001.m2ts"])
async def test_the_folder_of_a_disc_is_one_film(tmp_path: Path, inside: str) -> None:
    async with bench_at(tmp_path) as bench:
        bench.file(f"Inception.2010.COMPLETE.DVD-GRP/{inside}")
        bench.file("Heat.1995.mkv")
        before = bench.tree()
        id = (await bench.start(action="move"))["jobId"]
        disc, _ = sorted(await bench.items(id), key=lambda one: one["path"], reverse=True)
        assert disc["target"] == str(bench.films / "Inception (2010)")
        await bench.execute(id)
        assert (bench.films / "Inception (2010)" / inside).is_file()
        await bench.ask("POST", f"/api/jobs/{id}/undo")
        assert bench.tree() == before


async def test_what_no_catalog_knows_has_a_folder_too(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        bench.file("Zzyzx holidays.mkv")
        targets = {"other": str(bench.shows / "own")}
        id = (await bench.start(action="move", targets=targets))["jobId"]
        (item,) = await bench.items(id)
        assert (item["state"], item["target"]) == ("needs_review", None)
        await bench.change(id, item["id"], targetPath="Summer/Beach")
        (item,) = await bench.items(id)
        assert item["target"] == str(bench.shows / "own/Summer/Beach.mkv")
        outside = {"paths": [str(bench.downloads)], "targets": {"other": "/etc"}}
        refused = await bench.client.code("POST", "/api/jobs/manual", json=outside)
        assert refused == (403, "outside_folders")


async def test_cancelled_in_the_middle_of_a_copy(tmp_path: Path) -> None:
    with second_file_system(tmp_path) as disk:
        far = str(disk)
        async with bench_at(tmp_path) as bench:
            # What lies below /dev is refused when asked for.
            db = bench.client.started.kernel.db
            await db.write(lambda tx: roots_store.add(tx.conn, far, "far", "folder", mounted=False))
            bench.file("Alien.1979.mkv", "small")
            bench.file("Heat.1995.mkv", "x" * 200_000_000)
            before = bench.tree()
            id = (await bench.start(action="move", target=far))["jobId"]
            await bench.ask("POST", f"/api/jobs/{id}/execute", 202, json={})
            await growing(disk)
            await bench.ask("POST", f"/api/jobs/{id}/cancel", 202)
            job = await bench.rested(id)
            counts = job["items"]
            assert (job["status"], counts["done"], counts["ready"]) == ("cancelled", 1, 1)
            left = [path for path in disk.rglob("*") if path.is_file()]
            assert [path.stat().st_size for path in left] == [len("small")]
            await bench.ask("POST", f"/api/jobs/{id}/undo")
            assert bench.tree() == before


async def growing(far: Path) -> None:
    """Until the big copy has begun, under its temporary name."""
    async with asyncio.timeout(10):
        while True:
            with contextlib.suppress(FileNotFoundError):  # The small one gets its name meanwhile.
                if any(path.stat().st_size > 5 for path in far.rglob("*") if path.is_file()):
                    return
            await asyncio.sleep(0.001)
