"""NFO files and pictures next to videos."""

import time
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from sqlalchemy import func, select

from quartet.media.artwork.nfo import episodes_nfo, movie_nfo
from quartet.media.artwork.service import STAGING
from quartet.media.catalog.types import Candidate, Details, Episode
from quartet.media.moves.tables import operations
from tests.media.job_harness import JobHarness, job_harness_at
from tests.media.move_sandbox import MoveSandbox
from tests.media.service_kill_target import service_forker
from tests.rounds import kill_rounds

FIREFLY = "Firefly/Season 01/Firefly S01E05"
TEMPLATES = {"movie": "{n} ({y})/{n} ({y})", "series": "{n}/Season {s00}/{n} {s00e00}"}


async def want_artwork(harness: JobHarness) -> None:
    for folder in await harness.ask("GET", "/api/folders"):
        if folder["kind"] != "folder":
            await harness.ask("PATCH", f"/api/folders/{folder['id']}", json={"nfo": True})


async def move(harness: JobHarness, *paths: Path, **config: Any) -> int:
    job = await harness.start(*paths, action="move", templates=TEMPLATES, **config)
    done = await harness.execute(job["jobId"])
    assert done["items"]["done"] == done["progress"]["total"], done
    id: int = job["jobId"]
    return id


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.anyio
async def test_files_are_written_and_undone_with_the_move(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.file("Heat.1995.mkv")
        harness.file("Firefly.S01E05.mkv")
        before = harness.tree()
        await want_artwork(harness)
        job = await move(harness)
        assert files(harness.films) == {
            f"Heat (1995)/Heat (1995){tail}" for tail in (".mkv", ".nfo", "-poster.svg")
        }
        assert files(harness.shows) == {
            f"{FIREFLY}.mkv",
            f"{FIREFLY}.nfo",
            "Firefly/tvshow.nfo",
            "Firefly/poster.svg",
            "Firefly/season01-poster.svg",
        }
        nfo = fromstring((harness.shows / f"{FIREFLY}.nfo").read_text())
        assert (nfo.tag, nfo.findtext("season"), nfo.findtext("episode")) == (
            "episodedetails",
            "1",
            "5",
        )
        undone = await harness.ask("POST", f"/api/jobs/{job}/undo")
        assert undone["failed"] == []
        assert harness.tree() == before
        assert list(harness.shows.iterdir()) == list(harness.films.iterdir()) == []


@pytest.mark.anyio
async def test_libraries_get_nothing_by_default(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.file("Heat.1995.mkv")
        await move(harness)
        assert files(harness.films) == {"Heat (1995)/Heat (1995).mkv"}


@pytest.mark.anyio
async def test_files_of_users_are_kept(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.file("Heat.1995.mkv")
        own = harness.films / "Heat (1995)" / "Heat (1995).nfo"
        own.parent.mkdir()
        own.write_text("mine")
        await want_artwork(harness)
        await move(harness)
        assert own.read_text() == "mine"


@pytest.mark.anyio
async def test_nfo_files_that_users_edited_are_kept(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.file("Firefly.S01E05.mkv")
        await want_artwork(harness)
        await move(harness)
        series = harness.shows / "Firefly" / "tvshow.nfo"
        series.write_text("edited")
        harness.file("Firefly.S01E06.mkv")
        await move(harness)
        assert series.read_text() == "edited"


@pytest.mark.anyio
async def test_files_follow_a_changed_match(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.file("Heat.1995.mkv")
        await want_artwork(harness)
        await move(harness)
        before = harness.tree()
        job = await harness.start(harness.films, action="move", templates=TEMPLATES)
        (item,) = await harness.items(job["jobId"])
        query = {"kind": "movie", "title": "Alien"}
        alien = (await harness.ask("GET", "/api/catalog/search", params=query))[0]
        match = {"provider": "demo", "id": alien["id"], "kind": "movie"}
        await harness.change(job["jobId"], item["id"], match=match)
        await harness.execute(job["jobId"])
        folder = harness.films / "Alien (1979)"
        assert "<title>Alien</title>" in (folder / "Alien (1979).nfo").read_text()
        assert "Alien" in (folder / "Alien (1979)-poster.svg").read_text()
        assert (await harness.ask("POST", f"/api/jobs/{job['jobId']}/undo"))["failed"] == []
        assert harness.tree() == before


def test_nfo_of_several_episodes_and_odd_characters() -> None:
    show = Candidate(provider="tmdb", id="7", kind="series", title="A & B <\x00x>")
    two = [Episode(season=1, episode=number, title="T") for number in (1, 2)]
    text = episodes_nfo(show, two, Details()).decode().split("?>", 1)[1]
    roots = fromstring(f"<all>{text}</all>")
    assert [root.findtext("episode") for root in roots] == ["1", "2"]
    assert roots[0].findtext("showtitle") == "A & B <x>"
    movie = fromstring(movie_nfo(show, Details()).decode())
    assert [(one.get("type"), one.text) for one in movie.iter("uniqueid")] == [("tmdb", "7")]


def artwork_count(sandbox: MoveSandbox) -> int:
    with sandbox.db.engine.connect() as conn:
        query = select(func.count()).where(operations.c.role == "artwork")
        return conn.execute(query).scalar_one()


@pytest.mark.timeout(300)
def test_undo_after_a_kill_leaves_nothing(tmp_path: Path) -> None:
    far = tmp_path / "far"
    far.mkdir()
    sandbox = MoveSandbox(tmp_path, far)
    for number in range(1, 13):
        for copy in range(20):
            sandbox.file(f"downloads/{copy}/Firefly.S01E{number:02}.{copy}.mkv")
    before = sandbox.tree()
    config = {"templates": {"series": "{n}/{s00e00} {group}"}, "conflictPolicy": "suffix"}
    with service_forker(tmp_path / "config") as forker:
        with forker.service() as service:
            service.ask("PATCH", "/api/folders/2", {"kind": "series", "nfo": True})
        for _ in range(kill_rounds(5)):
            written = artwork_count(sandbox)
            with forker.service() as service:
                body = {"paths": [str(sandbox.downloads)], "action": "move", **config}
                job = service.ask("POST", "/api/jobs/manual", body)["jobId"]
                service.wait_until_idle()
                service.send_without_reply(f"/api/jobs/{job}/execute", {})
                while artwork_count(sandbox) == written:
                    time.sleep(0.002)
            with forker.service() as service:
                service.wait_until_idle()
                assert not (sandbox.library / STAGING).exists()
                undone = service.ask("POST", "/api/history/undo", {"since": 0})
                assert undone["failed"] == []
                assert sandbox.tree() == before
                assert list(sandbox.library.iterdir()) == []
    sandbox.db.close()
