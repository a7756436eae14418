"""The details of a title from OMDb and AniList are written to its NFO files."""

from typing import Any

import pytest

from quartet.kernel.errors import AppError
from quartet.media.artwork.nfo import series_nfo
from quartet.media.catalog.anilist import AniList
from quartet.media.catalog.omdb import Omdb
from tests.media.fake_provider import ReceivedRequest, fake_provider
from tests.media.firefly import SERIES, WIDTHS, read, texts


def breaking_bad(asked: ReceivedRequest) -> dict[str, Any]:
    assert asked.query["apikey"] == "key"
    if season := asked.query.get("Season"):
        title = {"Title": "Pilot", "Released": "2008-01-20", "Episode": "1", "imdbRating": "9.0"}
        return {"Season": season, "Episodes": [title], "Response": "True"}
    return {
        "Title": "Breaking Bad",
        "Year": "2008\u20132013",
        "Rated": "TV-MA",
        "Released": "20 Jan 2008",
        "Runtime": "49 min",
        "Genre": "Crime, Drama",
        "Director": "N/A",
        "Writer": "Vince Gilligan (created by), Peter Gould",
        "Actors": "Bryan Cranston, Aaron Paul",
        "Plot": "A chemistry teacher turns to crime." if asked.query.get("plot") else "Short.",
        "Country": "United States",
        "Poster": "https://m.media-amazon.com/bb.jpg",
        "imdbRating": "9.5",
        "imdbVotes": "2,345,678",
        "imdbID": "tt0903747",
        "Type": "series",
        "totalSeasons": "1",
        "Response": "True",
    }


@pytest.mark.anyio
async def test_nfo_tells_what_omdb_knows() -> None:
    async with fake_provider({"/": breaking_bad}) as server:
        omdb = Omdb(server.source("omdb"), "key")
        found = await omdb.details("series", "tt0903747", WIDTHS, "aired")
    series = read(series_nfo(SERIES, found))
    assert series.findtext("plot") == "A chemistry teacher turns to crime."
    assert (series.findtext("premiered"), series.findtext("runtime")) == ("2008-01-20", "49")
    assert (series.findtext("mpaa"), series.findtext("status")) == ("TV-MA", "Ended")
    assert texts(series, "genre") == ["Crime", "Drama"]
    assert texts(series, "actor/name") == ["Bryan Cranston", "Aaron Paul"]
    assert (found.votes, found.writers) == (2345678, ("Vince Gilligan", "Peter Gould"))
    assert (found.directors, found.episodes[1, 1].rating) == ((), 9.0)


@pytest.mark.anyio
async def test_omdb_without_values_leaves_them_out() -> None:
    bare = {"Title": "X", "Plot": "N/A", "Runtime": "N/A", "Released": "N/A", "Response": "True"}
    lost = {"Response": "False", "Error": "Error getting data."}
    gone = {"Response": "False", "Error": "Incorrect IMDb ID."}
    answers = {"tt1": bare, "tt2": gone, "tt3": lost}
    async with fake_provider({"/": lambda asked: answers[asked.query["i"]]}) as server:
        omdb = Omdb(server.source("omdb"), "key")
        for id in ("tt1", "tt2"):
            found = await omdb.details("movie", id, WIDTHS, "aired")
            assert (found.plot, found.runtime, found.premiered) == (None, None, None)
        with pytest.raises(AppError, match="provider_failed"):
            await omdb.details("movie", "tt3", WIDTHS, "aired")


BEBOP = {
    "description": "The year is 2071.<br>\n<br>\nSpike &amp; Jet hunt <i>bounties</i>.",
    "duration": 24,
    "status": "FINISHED",
    "averageScore": 86,
    "genres": ["Action", "Sci-Fi"],
    "bannerImage": "https://s4.anilist.co/b.jpg",
    "countryOfOrigin": "JP",
    "startDate": {"year": 1998, "month": 4, "day": 3},
    "coverImage": {"extraLarge": "https://s4.anilist.co/c.jpg"},
    "studios": {"nodes": [{"name": "Sunrise"}]},
    "staff": {
        "edges": [
            {"role": "Director", "node": {"name": {"full": "Shinichiro Watanabe"}}},
            {"role": "Script (eps 1-3)", "node": {"name": {"full": "Keiko Nobumoto"}}},
            {"role": "Music", "node": {"name": {"full": "Yoko Kanno"}}},
        ]
    },
    "characters": {
        "edges": [
            {
                "node": {"name": {"full": "Spike Spiegel"}},
                "voiceActors": [{"name": {"full": "Kouichi Yamadera"}, "image": {"large": None}}],
            },
            {"node": {"name": {"full": "Ein"}}, "voiceActors": []},
        ]
    },
}


@pytest.mark.anyio
async def test_nfo_tells_what_anilist_knows() -> None:
    answer = {"data": {"Page": {"media": [BEBOP]}}}
    async with fake_provider({"/": answer}) as server:
        anilist = AniList(server.source("anilist"), "en")
        found = await anilist.details("series", "1", WIDTHS, "aired")
        assert (await anilist.details("series", "x", WIDTHS, "aired")).plot is None
    series = read(series_nfo(SERIES, found))
    assert series.findtext("plot") == "The year is 2071.\n\nSpike & Jet hunt bounties."
    assert (series.findtext("premiered"), series.findtext("status")) == ("1998-04-03", "Ended")
    assert (texts(series, "studio"), texts(series, "actor/role")) == (
        ["Sunrise"],
        ["Spike Spiegel"],
    )
    assert (found.directors, found.writers) == (("Shinichiro Watanabe",), ("Keiko Nobumoto",))
    assert found.pictures.fanart == "https://s4.anilist.co/b.jpg"


@pytest.mark.anyio
async def test_anilist_without_values_leaves_them_out() -> None:
    answer = {"data": {"Page": {"media": [{"description": None, "startDate": {"year": 1998}}]}}}
    async with fake_provider({"/": answer}) as server:
        found = await AniList(server.source("anilist"), "en").details("movie", "1", WIDTHS, "aired")
    assert (found.plot, found.premiered, found.rating, found.actors) == (None, None, None, ())
