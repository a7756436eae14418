"""The language and the size of the pictures that a library gets from each catalog."""

from pathlib import Path
from typing import Any

import pytest

from quartet.media.catalog.picture_sizes import OfferedSize, fitting
from quartet.media.catalog.tmdb import Tmdb
from quartet.media.catalog.tvdb import Tvdb
from quartet.media.catalog.tvmaze import TvMaze
from quartet.media.catalog.types import PictureWidths
from tests.media.fake_provider import fake_provider
from tests.media.job_harness import job_harness_at

pytestmark = pytest.mark.anyio

TMDB = "https://image.tmdb.org/t/p"
TMDB_MOVIE = {
    "id": 348,
    "poster_path": "/p.jpg",
    "backdrop_path": "/b.jpg",
    "images": {
        "posters": [{"file_path": "/p.jpg", "width": 2000}],
        "backdrops": [{"file_path": "/b.jpg", "width": 1920}],
        "logos": [
            {"file_path": "/en.png", "iso_639_1": "en"},
            {"file_path": "/de.png", "iso_639_1": "de"},
        ],
    },
}


def artwork(type: int, width: int, language: str | None, score: int = 0) -> dict[str, Any]:
    name = f"{type}-{width}-{language}-{score}.jpg"
    return {"image": name, "type": type, "width": width, "language": language, "score": score}


def test_widest_size_within_the_limit_is_chosen() -> None:
    offers = [OfferedSize(0, "unknown"), *(OfferedSize(n, f"w{n}") for n in (780, 342, 500))]
    assert fitting(offers, 780) == "w780"
    assert fitting(offers, 600) == "w500"
    assert fitting(offers, 100) == "w342"
    assert fitting(offers[:1], 600) is None


@pytest.mark.parametrize(
    ("widths", "poster", "fanart"),
    [
        (PictureWidths(), "w780", "w1280"),
        (PictureWidths(500, 1000), "w500", "w780"),
        (PictureWidths(1999, 1920), "w780", "original"),
        (PictureWidths(10_000, 10_000), "original", "original"),
    ],
)
async def test_tmdb_pictures_have_the_wanted_size(
    widths: PictureWidths, poster: str, fanart: str
) -> None:
    async with fake_provider({"/movie/348": TMDB_MOVIE}) as server:
        tmdb = Tmdb(server.source("tmdb"), "key", "de-DE")
        found = (await tmdb.details("movie", "348", widths, "aired")).pictures
        assert found.poster == f"{TMDB}/{poster}/p.jpg"
        assert found.fanart == f"{TMDB}/{fanart}/b.jpg"
        assert found.logo == f"{TMDB}/w500/de.png"
        assert server.requests[0].query["include_image_language"] == "de,en,null"


async def test_tvmaze_pictures_have_the_wanted_size() -> None:
    sizes = {"original": {"url": "big", "width": 680}, "medium": {"url": "small", "width": 210}}
    other = {"original": {"url": "other", "width": 210}}
    images = [
        {"type": "poster", "main": False, "resolutions": other},
        {"type": "poster", "main": True, "resolutions": sizes},
        {"type": "background", "resolutions": {"original": {"url": "wide", "width": 1920}}},
        {"type": None, "resolutions": {}},
    ]
    async with fake_provider({"/shows/180/images": images}) as server:
        maze = TvMaze(server.source("tvmaze"))
        found = (await maze.details("series", "180", PictureWidths(), "aired")).pictures
        assert (found.poster, found.fanart) == ("big", "wide")
        assert (
            await maze.details("series", "180", PictureWidths(500), "aired")
        ).pictures.poster == "small"
        assert (await maze.details("series", "7", PictureWidths(), "aired")).pictures.poster is None


async def test_tvdb_pictures_have_the_wanted_language_and_size() -> None:
    artworks = [
        artwork(2, 680, "eng", 9),
        artwork(2, 680, "deu", 1),
        artwork(2, 680, "deu", 5),
        artwork(2, 2000, "deu", 9),
        artwork(3, 1920, None, 2),
        artwork(14, 680, "deu", 2),
    ]
    answers = {
        "/login": {"data": {"token": "a-token"}},
        "/series/7/extended": {"data": {"artworks": artworks}},
        "/series/8/extended": {"data": {"artworks": None}},
    }
    async with fake_provider(answers) as server:
        tvdb = Tvdb(server.source("tvdb"), "key", None, "de-DE")
        found = (await tvdb.details("series", "7", PictureWidths(), "aired")).pictures
        assert (found.poster, found.fanart) == ("2-680-deu-5.jpg", "3-1920-None-2.jpg")
        large = await tvdb.details("series", "7", PictureWidths(10_000), "aired")
        assert large.pictures.poster == "2-2000-deu-9.jpg"
        assert (await tvdb.details("series", "8", PictureWidths(), "aired")).pictures.poster is None


async def test_widths_belong_to_the_library(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        folders = await harness.ask("GET", "/api/folders")
        library = next(one for one in folders if one["kind"] == "movies")
        assert (library["posterWidth"], library["fanartWidth"]) == (780, 1280)
        path = f"/api/folders/{library['id']}"
        await harness.ask("PATCH", path, json={"posterWidth": 500})
        changed = await harness.ask("PATCH", path, json={"nfo": True})
        assert (changed["posterWidth"], changed["fanartWidth"]) == (500, 1280)
        refused = await harness.client.patch(path, json={"posterWidth": 5})
        assert refused.status_code == 400, refused.text
