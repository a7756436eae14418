"""Two files for one name, and files that are already there."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.media.films import film
from tests.media.workbench import Bench, bench_at

pytestmark = pytest.mark.anyio

SMALL, BIG = "Heat.1995.720p.WEB-DL.mkv", "Heat.1995.2160p.BluRay.mkv"


async def placed(bench: Bench, name: str, **config: Any) -> Any:
    bench.file(name)
    job = await bench.start(bench.downloads / name, action="move", **config)
    return await bench.execute(job["jobId"])


def films(bench: Bench) -> list[str]:
    return sorted(path.name for path in bench.films.rglob("*.mkv*"))


async def test_hostile_1_two_files_for_one_target(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        bench.file(f"a/{SMALL}")
        bench.file(f"b/{BIG}")
        job = await bench.start(action="move")
        first, second = await bench.items(job["jobId"])
        assert first["target"] == second["target"]
        assert (first["state"], second["state"]) == ("ready", "needs_review")
        assert {first["conflict"], second["conflict"]} == {"duplicate"}
        # The first steps back, and so the second may go.
        await bench.change(job["jobId"], first["id"], excluded=True)
        first, second = await bench.items(job["jobId"])
        assert (first["state"], second["state"], second["conflict"]) == ("skipped", "ready", None)
        assert (await bench.execute(job["jobId"]))["items"]["done"] == 1
        assert (bench.downloads / "a" / SMALL).exists()


async def test_what_is_there_stays(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        await placed(bench, SMALL)
        bench.file(BIG)
        job = await bench.start(action="move")
        (item,) = await bench.items(job["jobId"])
        assert (item["state"], item["conflict"]) == ("ready", "exists")
        job = await bench.execute(job["jobId"])
        (item,) = await bench.items(job["jobId"])
        assert (job["status"], item["state"]) == ("done", "skipped")
        assert item["error"]["code"] == "already_exists"
        assert (bench.downloads / BIG).exists() and len(films(bench)) == 1


async def test_the_better_one_stays(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        await placed(bench, SMALL)
        job = await placed(bench, BIG, conflictPolicy="keep_better")
        assert job["items"]["done"] == 1
        assert [".app-bak-" in name for name in films(bench)] == [False, True]
        job = await placed(bench, SMALL, conflictPolicy="keep_better")
        (item,) = await bench.items(job["jobId"])
        assert (item["state"], item["error"]["code"]) == ("skipped", "not_better")


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"pixels": "yuv420p10le", "transfer": 16}, {"pixels": "yuv420p10le"}),
        ({}, {"codec": "mpeg4"}),
    ],
    ids=["HDR10", "H.264"],
)
async def test_the_content_tells_which_one_is_better(
    tmp_path: Path, better: dict[str, Any], worse: dict[str, Any]
) -> None:
    async with bench_at(tmp_path) as bench:
        film(bench.downloads / "Heat.1995.mkv", **better)
        await bench.execute((await bench.start(action="move"))["jobId"])
        larger = film(bench.downloads / "Heat.1995.XviD.mkv", **worse)
        with larger.open("ab") as file:
            file.write(bytes(1_000_000))
        id = (await bench.start(action="move", conflictPolicy="keep_better"))["jobId"]
        await bench.execute(id)
        (item,) = await bench.items(id)
        assert (item["state"], item["error"]["code"]) == ("skipped", "not_better")
        assert larger.exists() and len(films(bench)) == 1


async def test_both_with_a_number(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        bench.file(f"a/{SMALL}")
        bench.file(f"b/{BIG}")
        job = await bench.start(action="copy", conflictPolicy="suffix")
        assert job["items"]["ready"] == 2
        assert (await bench.execute(job["jobId"]))["items"]["done"] == 2
        assert len(films(bench)) == 2 and (bench.downloads / "a" / SMALL).exists()


async def test_a_file_that_changed_since_the_preview(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        bench.file("Heat.1995.mkv")
        bench.file("Inception.2010.mkv")
        job = await bench.start(action="move")
        bench.file("Heat.1995.mkv", "more than before", fresh=True)
        (bench.downloads / "Inception.2010.mkv").unlink()
        job = await bench.execute(job["jobId"])
        heat, inception = await bench.items(job["jobId"])
        assert (heat["state"], heat["reasons"][-1]) == ("needs_review", "file_changed")
        assert (inception["state"], inception["error"]["code"]) == ("failed", "not_found")
        assert films(bench) == []


async def test_hostile_6_names_that_are_no_text(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        name = os.fsdecode(b"Heat.1995.\xe9.mkv")
        (bench.downloads / name).write_text("x")
        job = await bench.start(action="move")
        (item,) = await bench.items(job["jobId"])
        await bench.change(job["jobId"], item["id"], targetPath="Heat.mkv")
        assert (await bench.execute(job["jobId"]))["items"]["done"] == 1
        await bench.ask("POST", f"/api/jobs/{job['jobId']}/undo")
        assert (bench.downloads / name).exists()


async def test_libraries_are_missing(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        for folder in await bench.ask("GET", "/api/folders"):
            if folder["kind"] == "movies":
                await bench.ask("DELETE", f"/api/folders/{folder['id']}", 204)
        bench.file("Heat.1995.mkv")
        job = await bench.start(action="move")
        (item,) = await bench.items(job["jobId"])
        assert (item["state"], item["reasons"][-1]) == ("needs_review", "no_library")
        job = await bench.preview(job["jobId"], action="move", target=str(bench.shows))
        assert job["items"]["ready"] == 1
        job = await bench.preview(job["jobId"], action="move", inPlace=True)
        (item,) = await bench.items(job["jobId"])
        assert Path(item["target"]).parent == bench.downloads
        assert (await bench.execute(job["jobId"]))["items"]["done"] == 1
