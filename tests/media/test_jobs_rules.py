"""Rule mode: files and folders are renamed in place."""

from pathlib import Path

import pytest
from PIL import Image

from tests.media.job_harness import job_harness_at
from tests.media.video_files import make_video

pytestmark = pytest.mark.anyio


async def test_hostile_7_numbering_that_shifts_every_file(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        for number in range(1, 6):
            harness.file(f"{number}.txt", f"was {number}")
        before = harness.tree()
        names = {"type": "list", "names": ["2", "3", "4", "5", "1"]}
        job = await harness.start(mode="rules", action="move", rules=[names])
        assert (job["items"]["ready"], job["items"]["needs_review"]) == (5, 0)
        assert all(one["conflict"] is None for one in await harness.items(job["jobId"]))
        job = await harness.execute(job["jobId"])
        assert job["items"]["done"] == 5
        assert (harness.downloads / "1.txt").read_text() == "was 5"
        assert (harness.downloads / "2.txt").read_text() == "was 1"
        await harness.ask("POST", f"/api/jobs/{job['jobId']}/undo")
        assert harness.tree() == before


async def test_folders_and_another_target(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.file("old name/old file.txt")
        rules = [{"type": "replace", "find": "old", "replace": "new"}]
        job = await harness.start(mode="rules", action="move", rules=rules, folders=True)
        assert (await harness.execute(job["jobId"]))["items"]["done"] == 2
        assert (harness.downloads / "new name/new file.txt").exists()
        upper = [{"type": "case", "to": "upper"}]
        job = await harness.start(
            harness.downloads / "new name",
            mode="rules",
            action="copy",
            rules=upper,
            target=str(harness.shows),
        )
        assert (await harness.execute(job["jobId"]))["items"]["done"] == 1
        assert (harness.shows / "NEW FILE.txt").exists()


async def test_saved_rule_set_after_template(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        rules = [{"type": "case", "to": "lower"}]
        body = {"name": "quiet", "rules": rules}
        saved = await harness.ask("POST", "/api/rule-sets", 201, json=body)
        harness.file("Heat.1995.mkv")
        job = await harness.start(mode="both", action="move", ruleSet=saved["id"])
        (item,) = await harness.items(job["jobId"])
        assert Path(item["target"]).name.startswith("heat (1995)")
        assert Path(item["target"]).parent.name.startswith("Heat (1995)")
        assert (await harness.execute(job["jobId"]))["items"]["done"] == 1


async def test_hostile_8_catastrophic_pattern(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.file("a" * 60 + "!.txt")
        endless = {"type": "replace", "find": "(a+)+$", "replace": "", "regex": True}
        job = await harness.start(mode="rules", rules=[endless])
        assert job["status"] in ("failed", "ready", "done")
        assert (await harness.ask("GET", "/api/health"))["status"] == "ok"


@pytest.mark.parametrize("recursive", [True, False])
async def test_configured_and_watched_folders_keep_their_names(
    tmp_path: Path, recursive: bool
) -> None:
    async with job_harness_at(tmp_path) as harness:
        inner, watched = harness.downloads / "a/inner", harness.downloads / "b/watched"
        for file in ("a/inner/x.txt", "b/watched/x.txt", "c/x.txt"):
            harness.file(file)
        await harness.ask("POST", "/api/folders", 201, json={"path": str(inner)})
        body = {"name": "New", "path": str(watched), "enabled": False}
        await harness.ask("POST", "/api/watch-folders", 201, json=body)
        upper = [{"type": "case", "to": "upper", "target": "full", "appliesTo": "all"}]
        job = await harness.start(
            mode="rules", action="move", rules=upper, folders=True, recursive=recursive
        )
        assert job["status"] == "ready", job["error"]
        job = await harness.execute(job["jobId"])
        assert (job["status"], job["items"]["failed"]) == ("done", 0)
        assert inner.is_dir() and watched.is_dir()
        name = "X.TXT" if recursive else "x.txt"
        for folder in (inner, watched, harness.downloads / "C"):
            assert [path.name for path in folder.iterdir()] == [name]


async def test_folder_watched_since_preview_is_kept(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        folder = harness.file("a/b/x.txt").parent
        upper = [{"type": "case", "to": "upper", "appliesTo": "all"}]
        id = (await harness.start(mode="rules", action="move", rules=upper, folders=True))["jobId"]
        body = {"name": "New", "path": str(folder), "enabled": False}
        await harness.ask("POST", "/api/watch-folders", 201, json=body)
        await harness.execute(id)
        refused = [one for one in await harness.items(id) if one["state"] == "failed"]
        assert [one["error"]["code"] for one in refused] == ["folder_kept", "folder_kept"]
        assert folder.is_dir()


async def test_photos_and_music_are_sorted_by_their_tags(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        about = Image.Exif()
        about.get_ifd(0x8769)[0x9003] = "2021:03:04 05:06:07"
        Image.new("RGB", (8, 8)).save(harness.downloads / "IMG_1.jpg", exif=about)
        Image.new("RGB", (8, 8)).save(harness.downloads / "plain.jpg")
        tags = {"artist": "AC/DC", "album": "..", "title": "Thunder"}
        make_video(harness.downloads / "song.mkv", tags=tags)
        before = harness.tree()
        by_date = {"type": "metadata", "template": "", "folders": "{date:YYYY}/{date:YYYY-MM}"}
        by_album = {
            "type": "metadata",
            "template": "{title}",
            "folders": "/{artist}/../Album {album}/",
        }
        job = await harness.start(
            mode="rules", action="move", rules=[by_date, by_album], target=str(harness.films)
        )
        await harness.execute(job["jobId"])
        found = {str(path.relative_to(harness.films)) for path in harness.films.rglob("*.*")}
        assert {"2021/2021-03/IMG_1.jpg", "plain.jpg", "AC-DC/Album/Thunder.mkv"} <= found
        assert (await harness.ask("POST", f"/api/jobs/{job['jobId']}/undo"))["failed"] == []
        assert harness.tree() == before
