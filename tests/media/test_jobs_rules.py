"""Rule mode: files and folders are renamed in place."""

from pathlib import Path

import pytest

from tests.media.workbench import bench_at

pytestmark = pytest.mark.anyio


async def test_hostile_7_numbers_that_shift_every_file(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        for number in range(1, 6):
            bench.file(f"{number}.txt", f"was {number}")
        before = bench.tree()
        names = {"type": "list", "names": ["2", "3", "4", "5", "1"]}
        job = await bench.start(mode="rules", action="move", rules=[names])
        assert (job["items"]["ready"], job["items"]["needs_review"]) == (5, 0)
        assert all(one["conflict"] is None for one in await bench.items(job["jobId"]))
        job = await bench.execute(job["jobId"])
        assert job["items"]["done"] == 5
        assert (bench.downloads / "1.txt").read_text() == "was 5"
        assert (bench.downloads / "2.txt").read_text() == "was 1"
        await bench.ask("POST", f"/api/jobs/{job['jobId']}/undo")
        assert bench.tree() == before


async def test_folders_and_another_place(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        bench.file("old name/old file.txt")
        rules = [{"type": "replace", "find": "old", "replace": "new"}]
        job = await bench.start(mode="rules", action="move", rules=rules, folders=True)
        assert (await bench.execute(job["jobId"]))["items"]["done"] == 2
        assert (bench.downloads / "new name/new file.txt").exists()
        upper = [{"type": "case", "to": "upper"}]
        job = await bench.start(
            bench.downloads / "new name",
            mode="rules",
            action="copy",
            rules=upper,
            target=str(bench.shows),
        )
        assert (await bench.execute(job["jobId"]))["items"]["done"] == 1
        assert (bench.shows / "NEW FILE.txt").exists()


async def test_a_saved_set_after_the_template(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        rules = [{"type": "case", "to": "lower"}]
        body = {"name": "quiet", "rules": rules}
        saved = await bench.ask("POST", "/api/rule-sets", 201, json=body)
        bench.file("Heat.1995.mkv")
        job = await bench.start(mode="both", action="move", ruleSet=saved["id"])
        (item,) = await bench.items(job["jobId"])
        assert Path(item["target"]).name.startswith("heat (1995)")
        assert Path(item["target"]).parent.name.startswith("Heat (1995)")
        assert (await bench.execute(job["jobId"]))["items"]["done"] == 1


async def test_hostile_8_a_pattern_that_never_ends(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        bench.file("a" * 60 + "!.txt")
        endless = {"type": "replace", "find": "(a+)+$", "replace": "", "regex": True}
        job = await bench.start(mode="rules", rules=[endless])
        assert job["status"] in ("failed", "ready", "done")
        assert (await bench.ask("GET", "/api/health"))["status"] == "ok"


@pytest.mark.parametrize("recursive", [True, False])
async def test_configured_and_watched_folders_keep_their_names(
    tmp_path: Path, recursive: bool
) -> None:
    async with bench_at(tmp_path) as bench:
        inner, watched = bench.downloads / "a/inner", bench.downloads / "b/watched"
        for file in ("a/inner/x.txt", "b/watched/x.txt", "c/x.txt"):
            bench.file(file)
        await bench.ask("POST", "/api/folders", 201, json={"path": str(inner)})
        body = {"name": "New", "path": str(watched), "enabled": False}
        await bench.ask("POST", "/api/watch-folders", 201, json=body)
        upper = [{"type": "case", "to": "upper", "target": "full", "appliesTo": "all"}]
        job = await bench.start(
            mode="rules", action="move", rules=upper, folders=True, recursive=recursive
        )
        assert job["status"] == "ready", job["error"]
        job = await bench.execute(job["jobId"])
        assert (job["status"], job["items"]["failed"]) == ("done", 0)
        assert inner.is_dir() and watched.is_dir()
        name = "X.TXT" if recursive else "x.txt"
        for folder in (inner, watched, bench.downloads / "C"):
            assert [path.name for path in folder.iterdir()] == [name]


async def test_a_folder_that_is_watched_since_the_preview(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        folder = bench.file("a/b/x.txt").parent
        upper = [{"type": "case", "to": "upper", "appliesTo": "all"}]
        id = (await bench.start(mode="rules", action="move", rules=upper, folders=True))["jobId"]
        body = {"name": "New", "path": str(folder), "enabled": False}
        await bench.ask("POST", "/api/watch-folders", 201, json=body)
        await bench.execute(id)
        refused = [one for one in await bench.items(id) if one["state"] == "failed"]
        assert [one["error"]["code"] for one in refused] == ["folder_kept", "folder_kept"]
        assert folder.is_dir()
