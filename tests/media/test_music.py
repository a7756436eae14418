"""Music: album folders from tags, and from AcoustID and MusicBrainz if tags are missing."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from quartet.media.tagged.albums import as_album, facts_of_track
from quartet.media.tagged.music_tags import read_track
from quartet.media.tagged.types import TaggedFile
from tests.media.audio_files import jpeg_picture, make_audio
from tests.media.fake_provider import fake_provider
from tests.media.job_harness import JobHarness, job_harness_at
from tests.media.test_watch import check_folder, jobs, watch

pytestmark = pytest.mark.anyio

PICTURE = jpeg_picture()


@asynccontextmanager
async def music_harness(base: Path, **settings: Any) -> AsyncIterator[JobHarness]:
    async with job_harness_at(base, **settings) as at:
        library = base / "music"
        library.mkdir()
        body = {"path": str(library), "kind": "music"}
        folder = await at.ask("POST", "/api/folders", 201, json=body)
        assert folder["default"]
        yield at


def track(path: str, **tags: str) -> TaggedFile:
    return TaggedFile(path=path, modified_ns=0, tags=tags)


async def targets(at: JobHarness, job: Any) -> dict[str, str | None]:
    """Return the new path of each file, relative to the library."""
    items = await at.items(job["jobId"])
    top = str(at.downloads.parent / "music")
    return {
        Path(item["path"]).name: item["target"] and str(Path(item["target"]).relative_to(top))
        for item in items
    }


async def test_album_is_filed_with_cover_and_lyrics_and_undone(tmp_path: Path) -> None:
    async with music_harness(tmp_path) as at:
        album = at.downloads / "kob"
        about = {"artist": "Miles Davis", "album": "Kind of Blue", "date": "1959-08-17"}
        make_audio(album / "one.flac", title="So What", track="1/2", **about)
        make_audio(album / "two.ogg", title="Blue in Green", track="2/2", **about)
        (album / "one.lrc").write_text("[00:01]words")
        (album / "folder.JPG").write_bytes(b"picture")
        (album / "notes.txt").write_text("not music")
        before = at.tree()
        job = await at.start(mode="music", action="move")
        folder = "Miles Davis/Kind of Blue (1959)"
        assert await targets(at, job) == {
            "one.flac": f"{folder}/01 - So What.flac",
            "two.ogg": f"{folder}/02 - Blue in Green.ogg",
            "folder.JPG": f"{folder}/cover.jpg",
        }
        assert {item["state"] for item in await at.items(job["jobId"])} == {"ready"}
        await at.execute(job["jobId"])
        filed = tmp_path / "music" / folder
        names = ["01 - So What.flac", "01 - So What.lrc", "02 - Blue in Green.ogg", "cover.jpg"]
        assert sorted(one.name for one in filed.iterdir()) == names
        await at.ask("POST", "/api/history/undo", json={"jobId": job["jobId"]})
        assert at.tree() == before


async def test_embedded_cover_is_written_and_undone(tmp_path: Path) -> None:
    async with music_harness(tmp_path) as at:
        (library,) = (one for one in await at.ask("GET", "/api/folders") if one["kind"] == "music")
        await at.ask("PATCH", f"/api/folders/{library['id']}", json={"nfo": True})
        about = {"artist": "Miles Davis", "date": "1959"}
        inside = {**about, "title": "So What", "track": "1"}
        make_audio(at.downloads / "one/a.mp3", PICTURE, album="Kind of Blue", **inside)
        make_audio(at.downloads / "two/b.mp3", PICTURE, album="Porgy and Bess", **inside)
        (at.downloads / "two/folder.jpg").write_bytes(b"own")
        make_audio(at.downloads / "three/c.flac", album="Miles Ahead", **inside)
        before = at.tree()
        job = await at.start(mode="music", action="move")
        await at.execute(job["jobId"])
        covers = (tmp_path / "music").rglob("cover.*")
        assert {one.parent.name: one.read_bytes() for one in covers} == {
            "Kind of Blue (1959)": PICTURE,
            "Porgy and Bess (1959)": b"own",
        }
        await at.ask("POST", "/api/history/undo", json={"jobId": job["jobId"]})
        assert at.tree() == before and not list((tmp_path / "music").rglob("cover.*"))


async def test_album_in_watch_folder_is_filed_once(tmp_path: Path) -> None:
    async with music_harness(tmp_path) as at:
        folder = await watch(at, enabled=False, mode="music")
        about = {"artist": "Miles Davis", "album": "Kind of Blue", "date": "1959"}
        make_audio(at.downloads / "kob/one.flac", title="So What", track="1", **about)
        (at.downloads / "kob/cover.jpg").write_bytes(b"picture")
        at.file("Heat.1995.mkv", fresh=True)
        await check_folder(at, folder)
        (job,) = await jobs(at, 1)
        assert (job["kind"], job["items"]["done"]) == ("watch", 2)
        filed = tmp_path / "music/Miles Davis/Kind of Blue (1959)"
        assert sorted(one.name for one in filed.iterdir()) == ["01 - So What.flac", "cover.jpg"]
        await check_folder(at, folder)
        assert len((await at.ask("GET", "/api/jobs"))["jobs"]) == 1


async def test_discs_and_compilations_share_one_folder(tmp_path: Path) -> None:
    async with music_harness(tmp_path) as at:
        top = at.downloads / "jazz"
        make_audio(
            top / "CD1/a.flac", title="A", artist="Ann", album="Jazz", track="1", date="1999"
        )
        make_audio(top / "CD2/b.flac", title="B", artist="Bob", album="Jazz", track="1")
        (top / "cover.png").write_bytes(b"picture")
        job = await at.start(mode="music")
        folder = "Various Artists/Jazz (1999)"
        assert await targets(at, job) == {
            "a.flac": f"{folder}/Disc 1/01 - Ann - A.flac",
            "b.flac": f"{folder}/Disc 2/01 - Bob - B.flac",
            "cover.png": f"{folder}/cover.png",
        }


async def test_missing_tags_need_review(tmp_path: Path) -> None:
    async with music_harness(tmp_path) as at:
        make_audio(at.downloads / "Ann Lee - Blue (2001)/03 - Rain.flac")
        make_audio(at.downloads / "unknown/noise.flac")
        job = await at.start(mode="music")
        assert await targets(at, job) == {
            "03 - Rain.flac": "Ann Lee/Blue (2001)/03 - Rain.flac",
            "noise.flac": None,
        }
        named, unknown = await at.items(job["jobId"])
        assert (named["state"], unknown["state"]) == ("needs_review", "needs_review")
        assert "name_instead_of_tags" in named["reasons"]
        assert "tags_missing" in unknown["reasons"]


async def test_music_job_without_library_needs_review(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as at:
        make_audio(at.downloads / "a.flac", title="A", artist="Ann", album="Jazz", track="1")
        job = await at.start(mode="music")
        (item,) = await at.items(job["jobId"])
        assert (item["state"], item["target"]) == ("needs_review", None)
        assert "no_library" in item["reasons"]


async def test_same_track_twice_is_a_duplicate(tmp_path: Path) -> None:
    async with music_harness(tmp_path) as at:
        tags = {"title": "A", "artist": "Ann", "album": "Jazz", "track": "1"}
        make_audio(at.downloads / "x/a.flac", **tags)
        make_audio(at.downloads / "y/b.flac", **tags)
        job = await at.start(mode="music")
        items = await at.items(job["jobId"])
        assert [item["conflict"] for item in items] == ["duplicate", "duplicate"]
        assert sorted(item["state"] for item in items) == ["needs_review", "ready"]


async def test_template_of_the_job_is_used(tmp_path: Path) -> None:
    async with music_harness(tmp_path) as at:
        make_audio(
            at.downloads / "a.mp3", title="A", artist="Ann", album="J", track="7", genre="Jazz"
        )
        job = await at.start(mode="music", templates={"music": "{genre}/{artist} - {t}"})
        assert await targets(at, job) == {"a.mp3": "Jazz/Ann - A.mp3"}


@pytest.mark.parametrize(
    ("path", "tags", "expected"),
    [
        ("/m/a.mp3", {"track": "3/12", "disc": "2/2"}, (3, 2, 2)),
        ("/m/CD 2/a.mp3", {"track": "03"}, (3, 2, None)),
        ("/m/a.mp3", {"tracknumber": "0", "disctotal": "3"}, (None, None, 3)),
    ],
)
def test_track_numbers(path: str, tags: dict[str, str], expected: tuple[int | None, ...]) -> None:
    tags |= {"title": "A", "artist": "Ann", "album": "Jazz"}
    found = read_track(track(path, **tags))
    assert (found.track, found.disc, found.discs) == expected


def test_year_of_the_first_release_is_preferred() -> None:
    found = read_track(
        track("/m/a.flac", title="A", artist="B", album="C", date="2011", originaldate="1959-08-17")
    )
    assert found.year == 1959


def test_featured_artist_does_not_make_a_compilation() -> None:
    files = [
        track("/m/a.mp3", title="A", artist="Ann", album_artist="Ann", album="Jazz", track="1"),
        track("/m/b.mp3", title="B", artist="Ann feat. Bob", album_artist="Ann", album="Jazz"),
    ]
    tracks = as_album([read_track(file) for file in files])
    facts = [facts_of_track(file, one).facts for file, one in zip(files, tracks, strict=True)]
    assert [(one.artist, one.track_artist) for one in facts if one] == [("Ann", None)] * 2


RELEASE = {
    "id": "r-1",
    "title": "Blue",
    "date": "2011",
    "release-group": {"first-release-date": "1971-06-22"},
    "artist-credit": [{"name": "Joni Mitchell"}],
    "media": [
        {"position": 1, "tracks": [{"position": 4, "title": "Carey", "recording": {"id": "x"}}]}
    ],
}


async def test_musicbrainz_adds_what_tags_lack(tmp_path: Path) -> None:
    answers = {
        "/ws/2/release": {"releases": [{"id": "r-1", "title": "Blue", "score": 100}]},
        "/ws/2/release/r-1": RELEASE,
    }
    async with (
        fake_provider(answers) as server,
        music_harness(tmp_path, demo=False, allow_private_addresses=True) as at,
    ):
        options = await at.ask("GET", "/api/settings")
        options |= {"musicbrainz": True, "addresses": {"musicbrainz": server.address}}
        await at.ask("PUT", "/api/settings", json=options)
        make_audio(at.downloads / "a.flac", title="Carey", artist="Joni Mitchell", album="Blue")
        job = await at.start(mode="music")
        assert await targets(at, job) == {"a.flac": "Joni Mitchell/Blue (1971)/04 - Carey.flac"}
        (item,) = await at.items(job["jobId"])
        assert "by_musicbrainz" in item["reasons"]
        # A second job asks nothing again.
        await at.start(mode="music")
        assert [one.path for one in server.requests] == ["/ws/2/release", "/ws/2/release/r-1"]


@pytest.mark.parametrize("answer", [{"releases": []}, {"releases": "many"}, None])
async def test_musicbrainz_failure_keeps_the_tags(tmp_path: Path, answer: Any) -> None:
    answers = {} if answer is None else {"/ws/2/release": answer}
    async with (
        fake_provider(answers) as server,
        music_harness(tmp_path, demo=False, allow_private_addresses=True) as at,
    ):
        options = await at.ask("GET", "/api/settings")
        options |= {"musicbrainz": True, "addresses": {"musicbrainz": server.address}}
        await at.ask("PUT", "/api/settings", json=options)
        make_audio(at.downloads / "a.flac", title="Carey", artist="Joni Mitchell", album="Blue")
        job = await at.start(mode="music")
        assert await targets(at, job) == {"a.flac": "Joni Mitchell/Blue/Carey.flac"}


async def test_acoustid_recognises_a_track_without_tags(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin/fpcalc"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho \'{"duration": 200.4, "fingerprint": "AQAA"}\'\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    release = {
        "id": "r-1",
        "title": "Blue",
        "date": {"year": 1971},
        "artists": [{"name": "Joni Mitchell"}],
        "mediums": [{"position": 1, "tracks": [{"position": 4}]}],
    }
    recording = {"id": "x", "title": "Carey", "artists": [{"name": "Joni Mitchell"}]}
    answer = {"results": [{"score": 0.96, "recordings": [recording | {"releases": [release]}]}]}
    async with (
        fake_provider({"/v2/lookup": answer}) as server,
        music_harness(tmp_path, demo=False, allow_private_addresses=True) as at,
    ):
        options = await at.ask("GET", "/api/settings")
        options["keys"]["acoustid"] = "secret-key"
        options["addresses"] = {"acoustid": server.address}
        await at.ask("PUT", "/api/settings", json=options)
        make_audio(at.downloads / "track.flac")
        job = await at.start(mode="music")
        assert await targets(at, job) == {"track.flac": "Joni Mitchell/Blue (1971)/04 - Carey.flac"}
        (asked,) = server.requests
        assert (asked.query["client"], asked.query["duration"]) == ("secret-key", "200")
