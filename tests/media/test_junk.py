"""What is left of a release after its videos were moved."""

from pathlib import Path
from typing import Any

import pytest

from quartet.media.moves.junk_names import LARGEST_SAMPLE
from tests.media.job_harness import JobHarness, job_harness_at
from tests.media.move_sandbox import MoveSandbox

RELEASE = "Heat.1995.1080p.BluRay.x264-GRP"
JUNK = (
    "Sample/heat-sample.mkv",
    "Sample/heat-sample.srs",
    "Sample/heat.jpg",
    "Proof/grp-heat-proof.jpg",
    "Screens/screen0001.png",
    "sample.mkv",
    "grp-heat.nfo",
    "grp-heat.sfv",
    "grp-heat-proof.jpg",
    "Thumbs.db",
    "._Heat.mkv",
    "RARBG.txt",
    "RARBG_DO_NOT_MIRROR.exe",
    "WWW.YTS.AG.jpg",
    "YTSProxies.com.txt",
    "[TGx]Downloaded from torrentgalaxy.to .txt",
    "Torrent Downloaded From ExtraTorrent.cc.txt",
    "NEW upcoming releases by Xclusive.txt",
    "Visit us.url",
)
OTHERS = (
    "notes.txt",
    "Bill.from.the.shop.txt",
    "My new movies list.txt",
    "setup.exe",
    "cover.jpg",
    "poster.png",
    "Heat.part1.rar",
    "Other movie.mkv",
    "Screenshots/phone.png",
    "Sample/letter.pdf",
    "Sample/Samples/letter.pdf",
    "Covers/",
    ".hidden",
)


def move_heat(sandbox: MoveSandbox, *others: str) -> Any:
    sandbox.file(f"downloads/{RELEASE}/Heat.mkv")
    for name in others:
        if name.endswith("/"):
            (sandbox.downloads / RELEASE / name).mkdir()
        else:
            sandbox.file(f"downloads/{RELEASE}/{name}")
    return sandbox.run(sandbox.step(f"downloads/{RELEASE}/Heat.mkv", "library/Heat.mkv"))


def test_junk_of_a_release_is_removed_and_restored_by_undo(sandbox: MoveSandbox) -> None:
    for name in JUNK:
        sandbox.file(f"downloads/{RELEASE}/{name}")
    sandbox.file(f"downloads/{RELEASE}/Heat.mkv")
    before, names = sandbox.tree(), sandbox.names(sandbox.downloads)
    report = move_heat(sandbox)
    assert not (sandbox.downloads / RELEASE).exists()
    assert (report.cleaned.removed, report.cleaned.left) == (len(JUNK), ())
    assert sandbox.undo().failed == []
    assert (sandbox.tree(), sandbox.names(sandbox.downloads)) == (before, names)


@pytest.mark.parametrize("other", OTHERS)
def test_unknown_file_keeps_its_folder_with_everything_in_it(
    sandbox: MoveSandbox, other: str
) -> None:
    move_heat(sandbox, other, "RARBG.txt", "Sample/heat-sample.mkv")
    left = {*sandbox.names(sandbox.downloads / RELEASE)}
    assert {other.rstrip("/"), "RARBG.txt", "Sample/heat-sample.mkv"} <= left


def test_metadata_of_a_media_server_is_no_junk(sandbox: MoveSandbox) -> None:
    sandbox.file(f"downloads/{RELEASE}/Other.nfo", '<?xml version="1.0"?>\n<movie></movie>')
    report = move_heat(sandbox, "grp-heat.nfo")
    assert report.cleaned.removed == 0
    assert report.cleaned.left[0].names == ("Other.nfo",)


def test_large_video_is_no_sample(sandbox: MoveSandbox) -> None:
    file = sandbox.file(f"downloads/{RELEASE}/Sample/heat.mkv")
    with file.open("r+b") as large:
        large.truncate(LARGEST_SAMPLE + 1)
    move_heat(sandbox)
    assert file.exists()


def test_link_is_no_junk(sandbox: MoveSandbox) -> None:
    target = sandbox.file("downloads/elsewhere/RARBG.txt")
    folder = sandbox.downloads / RELEASE
    folder.mkdir()
    (folder / "RARBG.txt").symlink_to(target)
    move_heat(sandbox)
    assert (folder / "RARBG.txt").is_symlink() and target.exists()


async def job_in(harness: JobHarness, *others: str, **config: Any) -> Any:
    harness.file(f"{RELEASE}/{RELEASE}.mkv")
    for name in others:
        harness.file(f"{RELEASE}/{name}")
    job = await harness.start(action="move", **config)
    return await harness.execute(job["jobId"])


@pytest.mark.anyio
async def test_job_tells_what_it_removed_and_undo_restores_it(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.file(f"{RELEASE}/{RELEASE}.mkv")
        for name in JUNK:
            harness.file(f"{RELEASE}/{name}")
        before = harness.tree()
        job = await job_in(harness)
        until = job["cleaned"].pop("until")
        assert job["cleaned"] == {"removed": len(JUNK), "left": []}
        assert until > job["finishedAt"]
        assert not (harness.downloads / RELEASE).exists()
        entries = (await harness.ask("GET", "/api/history"))["entries"]
        assert [one["role"] for one in entries].count("junk") == len(JUNK)
        undone = await harness.ask("POST", f"/api/jobs/{job['jobId']}/undo")
        assert (undone["failed"], harness.tree()) == ([], before)
        job = await harness.ask("GET", f"/api/jobs/{job['jobId']}")
        assert job["cleaned"] == {"removed": 0, "left": [], "until": None}


@pytest.mark.anyio
async def test_undo_of_one_file_restores_the_junk_of_its_folder(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.file("Firefly/Firefly.S01E05.mkv")
        harness.file("Firefly/RARBG.txt")
        harness.file(f"{RELEASE}/RARBG.txt")
        before = {path for path in harness.tree() if "Firefly" in path}
        job = await job_in(harness)
        assert job["cleaned"]["removed"] == 2
        episode = next(one for one in await harness.items(job["jobId"]) if "Firefly" in one["path"])
        body = {"itemIds": [episode["id"]]}
        assert (await harness.ask("POST", "/api/history/undo", json=body))["failed"] == []
        assert {path for path in harness.tree() if "Firefly" in path} == before
        assert not (harness.downloads / RELEASE).exists()


@pytest.mark.anyio
async def test_job_names_folders_that_stay(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        job = await job_in(harness, "RARBG.txt", *(f"{letter}.pdf" for letter in "abcdefg"))
        folder = {"path": str(harness.downloads / RELEASE), "more": 2}
        assert job["cleaned"] == {
            "removed": 0,
            "left": [{**folder, "names": [f"{letter}.pdf" for letter in "abcde"]}],
            "until": None,
        }


@pytest.mark.anyio
async def test_folder_with_videos_is_not_reported(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        job = await job_in(harness, "nobody knows this one 7.mkv", "CD2/and this one.mkv")
        assert job["items"]["done"] == 1
        assert job["cleaned"] == {"removed": 0, "left": [], "until": None}


@pytest.mark.anyio
@pytest.mark.parametrize("where", ["settings", "job"])
async def test_junk_stays_if_configured(tmp_path: Path, where: str) -> None:
    async with job_harness_at(tmp_path) as harness:
        if where == "settings":
            options = await harness.ask("GET", "/api/settings")
            await harness.ask("PUT", "/api/settings", json={**options, "junk": "keep"})
        job = await job_in(harness, *JUNK, **({"junk": "keep"} if where == "job" else {}))
        left = {*harness.downloads.joinpath(RELEASE).rglob("*")}
        assert {harness.downloads / RELEASE / name for name in JUNK} <= left
        assert (job["items"]["done"], job["cleaned"]["removed"]) == (1, 0)


@pytest.mark.anyio
async def test_pictures_of_a_user_are_no_junk(tmp_path: Path) -> None:
    """A folder of a phone, from which photos were moved by a rule."""
    async with job_harness_at(tmp_path) as harness:
        harness.file("DCIM/holiday.jpg")
        harness.file("DCIM/Screens/phone.png")
        rules = [{"type": "replace", "find": "holiday", "replace": "Rome"}]
        options = {"mode": "rules", "rules": rules, "recursive": False}
        options["target"] = str(harness.films)
        job = await harness.start(harness.downloads / "DCIM", action="move", **options)
        assert (await harness.execute(job["jobId"]))["items"]["done"] == 1
        assert (harness.downloads / "DCIM/Screens/phone.png").exists()
