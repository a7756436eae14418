"""Subtitles from OpenSubtitles.com, searched with the real library in its child process."""

import asyncio
import logging
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from quartet.media.subtitles import service
from tests.media.fake_opensubtitles import (
    KEY,
    PASSWORD,
    USER,
    FakeOpenSubtitles,
    fake_opensubtitles,
    subtitle,
)
from tests.media.job_harness import SECONDS, JobHarness, job_harness_at

pytestmark = pytest.mark.anyio

HEAT = "Heat.1995.1080p.BluRay.x264-GRP"
MOVIE = {"feature_type": "Movie", "title": "Heat", "year": 1995, "imdb_id": 113277}
FIREFLY = {
    "feature_type": "Episode",
    "title": "Safe",
    "parent_title": "Firefly",
    "year": 2002,
    "season_number": 1,
    "episode_number": 5,
}
TEMPLATES = {"movie": "{n} ({y})/{n} ({y})", "series": "{n}/{n} {s00e00}"}


def movie_hash(content: bytes) -> str:
    """The sum of the size and the 64-bit words of both ends, as OpenSubtitles.com describes it."""
    ends = content[:65536] + content[-65536:]
    words = struct.unpack(f"<{len(ends) // 8}Q", ends)
    return f"{(len(content) + sum(words)) % 2**64:016x}"


@asynccontextmanager
async def subtitle_harness(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, password: str = PASSWORD
) -> AsyncIterator[tuple[JobHarness, FakeOpenSubtitles]]:
    """Both libraries want German and English subtitles."""
    async with fake_opensubtitles() as server, job_harness_at(tmp_path) as harness:
        monkeypatch.setattr(service, "SERVER", f"{server.url}/api/v1/")
        for folder in await harness.ask("GET", "/api/folders"):
            if folder["kind"] != "folder":
                path = f"/api/folders/{folder['id']}"
                await harness.ask("PATCH", path, json={"subtitles": ["de", "en"]})
        settings = await harness.ask("GET", "/api/settings")
        account = {
            "opensubtitlesUser": USER,
            "opensubtitlesPassword": password,
            "opensubtitlesKey": KEY,
        }
        saved = await harness.ask("PUT", "/api/settings", json={**settings, "keys": account})
        assert PASSWORD not in str(saved)
        yield harness, server


async def move(harness: JobHarness) -> int:
    job = await harness.start(action="move", templates=TEMPLATES)
    await harness.execute(job["jobId"])
    id: int = job["jobId"]
    return id


async def wait_for_log(caplog: pytest.LogCaptureFixture, text: str) -> None:
    async with asyncio.timeout(SECONDS):
        while text not in caplog.text:
            await asyncio.sleep(0.05)


@pytest.mark.timeout(180)
async def test_subtitles_are_found_by_hash_and_undone_with_the_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "quartet.media.subtitles")
    async with subtitle_harness(tmp_path, monkeypatch) as (harness, server):
        content = "Heat" * 50_000
        harness.file(f"{HEAT}.mkv", content)
        harness.file(f"{HEAT}.en.srt", "my own subtitle")
        before = harness.tree()
        server.entries[movie_hash(content.encode())] = [
            subtitle(1, "de", "Heat.1995.Theatrical", **MOVIE),
            subtitle(2, "en", "Heat.1995.Theatrical", **MOVIE),
        ]
        job = await move(harness)
        await wait_for_log(caplog, f"job {job}: 1 subtitles written")
        folder = harness.films / "Heat (1995)"
        assert "Subtitle 1" in (folder / "Heat (1995).de.srt").read_text()
        assert (folder / "Heat (1995).en.srt").read_text() == "my own subtitle"
        assert server.downloads == [1]
        assert all(one["languages"] == "de" for one in server.searches)
        undone = await harness.ask("POST", f"/api/jobs/{job}/undo")
        assert undone["failed"] == []
        assert harness.tree() == before
        assert list(harness.films.iterdir()) == []


@pytest.mark.timeout(180)
async def test_subtitles_of_the_release_are_preferred_and_of_others_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "quartet.media.subtitles")
    async with subtitle_harness(tmp_path, monkeypatch) as (harness, server):
        harness.file("Firefly.S01E05.720p.WEB-DL.x264-GRP.mkv")
        other = {**FIREFLY, "title": "Ariel", "episode_number": 9}
        server.entries["firefly"] = [
            subtitle(1, "de", "Firefly.S01E05.DVDRip.XviD-OTHER", **FIREFLY),
            subtitle(2, "de", "Firefly.S01E05.720p.WEB-DL.x264-GRP", **FIREFLY),
            subtitle(3, "en", "Firefly.S01E09.720p.WEB-DL.x264-GRP", **other),
        ]
        job = await move(harness)
        await wait_for_log(caplog, f"job {job}: 1 subtitles written")
        assert server.downloads == [2]
        (written,) = harness.shows.rglob("*.srt")
        assert written.name == "Firefly S01E05.de.srt"


@pytest.mark.timeout(180)
async def test_refused_account_is_logged_and_the_job_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with subtitle_harness(tmp_path, monkeypatch, "wrong") as (harness, server):
        harness.file(f"{HEAT}.mkv")
        server.entries["heat"] = [subtitle(1, "de", HEAT, **MOVIE)]
        job = await move(harness)
        await wait_for_log(caplog, f"refused more requests for job {job}")
        assert [one.name for one in harness.films.rglob("*.*")] == ["Heat (1995).mkv"]


async def test_languages_belong_to_libraries_only(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        for folder in await harness.ask("GET", "/api/folders"):
            path = f"/api/folders/{folder['id']}"
            saved = await harness.ask("PATCH", path, json={"subtitles": ["pt-BR"]})
            assert saved["subtitles"] == ([] if folder["kind"] == "folder" else ["pt-BR"])
            wrong = await harness.client.request("PATCH", path, json={"subtitles": ["deutsch"]})
            assert wrong.status_code == 400
