"""The details of a title from TMDB, TheTVDB and TVmaze are written to its NFO files."""

from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import pytest
from aiohttp import web

from quartet.kernel.errors import AppError
from quartet.media.artwork.nfo import episodes_nfo, movie_nfo, series_nfo
from quartet.media.catalog.anilist import AniList
from quartet.media.catalog.certification import certification
from quartet.media.catalog.omdb import Omdb
from quartet.media.catalog.tmdb import Tmdb
from quartet.media.catalog.tvdb import Tvdb
from quartet.media.catalog.tvmaze import TvMaze
from quartet.media.catalog.types import Candidate, Episode, PictureWidths
from quartet.media.names.types import Ids
from tests.media.fake_provider import FakeProvider, ReceivedRequest, fake_provider
from tests.media.job_harness import JobHarness, job_harness_at

WIDTHS = PictureWidths()
ALIEN = {
    "id": 348,
    "title": "Alien",
    "release_date": "1979-05-25",
    "poster_path": "/p.jpg",
    "backdrop_path": "/b.jpg",
    "overview": "Sieben Menschen an Bord der Nostromo.",
    "tagline": "",
    "runtime": 117,
    "status": "Released",
    "vote_average": 8.163,
    "vote_count": 14023,
    "belongs_to_collection": {"id": 8091, "name": "Alien Filmreihe"},
    "genres": [{"id": 27, "name": "Horror"}, {"id": 878, "name": "Science Fiction"}],
    "production_countries": [{"iso_3166_1": "US", "name": "United States of America"}],
    "production_companies": [{"id": 19747, "name": "Brandywine", "logo_path": None}],
    "credits": {
        "cast": [
            {"name": "Sigourney Weaver", "character": "Ripley", "profile_path": "/w.jpg"},
            {"name": "Tom Skerritt", "character": "Dallas", "profile_path": None},
        ],
        "crew": [
            {"name": "Ridley Scott", "job": "Director", "department": "Directing"},
            {"name": "Dan O'Bannon", "job": "Screenplay", "department": "Writing"},
            {"name": "Dan O'Bannon", "job": "Story", "department": "Writing"},
        ],
    },
    "release_dates": {
        "results": [
            {"iso_3166_1": "US", "release_dates": [{"certification": "R", "type": 3}]},
            {"iso_3166_1": "DE", "release_dates": [{"certification": ""}, {"certification": "16"}]},
        ]
    },
}
MOVIE = Candidate(
    provider="tmdb", id="348", kind="movie", title="Alien", year=1979, ids=Ids("tt0078748", 348)
)


def firefly(asked: ReceivedRequest) -> dict[str, Any]:
    english = asked.query["language"] == "en-US"
    first = {
        "id": 62,
        "season_number": 1,
        "episode_number": 1,
        "name": "Serenity" if english else "Folge 1",
        "overview": "Mal takes passengers." if english else "",
        "runtime": 87,
        "vote_average": 8.0,
        "air_date": "2002-12-20",
        "still_path": "/s.jpg",
        "crew": [{"name": "Joss Whedon", "job": "Director", "department": "Directing"}],
    }
    return {
        "id": 1437,
        "name": "Firefly",
        "overview": "Five hundred years in the future." if english else "",
        "first_air_date": "2002-09-20",
        "episode_run_time": [45],
        "status": "Ended",
        "networks": [{"name": "FOX"}],
        "created_by": [{"name": "Joss Whedon"}],
        "seasons": [{"season_number": 1, "poster_path": "/s1.jpg"}],
        "aggregate_credits": {
            "cast": [{"name": "Nathan Fillion", "roles": [{"character": "Mal"}]}],
            "crew": [],
        },
        "content_ratings": {"results": [{"iso_3166_1": "US", "rating": "TV-14"}]},
        "season/1": {"episodes": [first]},
    }


SERIES = Candidate(provider="tmdb", id="1437", kind="series", title="Firefly", year=2002)
EPISODE = Episode(season=1, episode=1, title="Serenity", air_date="2002-12-20")


def read(nfo: bytes) -> Element:
    return fromstring(nfo.decode())


def texts(root: Element, path: str) -> list[str | None]:
    return [one.text for one in root.findall(path)]


@pytest.mark.anyio
async def test_nfo_of_a_movie_tells_what_tmdb_knows() -> None:
    async with fake_provider({"/movie/348": ALIEN}) as server:
        tmdb = Tmdb(server.source("tmdb"), "key", "de-DE")
        nfo = read(movie_nfo(MOVIE, await tmdb.details("movie", "348", WIDTHS, "aired")))
        assert len(server.requests) == 1
    one = {path: nfo.findtext(path) for path in ("plot", "runtime", "mpaa", "premiered", "year")}
    assert one == {
        "plot": "Sieben Menschen an Bord der Nostromo.",
        "runtime": "117",
        "mpaa": "FSK-16",
        "premiered": "1979-05-25",
        "year": "1979",
    }
    assert nfo.find("tagline") is None
    assert nfo.findtext("set/name") == "Alien Filmreihe"
    assert texts(nfo, "genre") == ["Horror", "Science Fiction"]
    assert texts(nfo, "director") == ["Ridley Scott"]
    assert texts(nfo, "credits") == ["Dan O'Bannon"]
    assert texts(nfo, "studio") == ["Brandywine"]
    assert texts(nfo, "country") == ["United States of America"]
    assert texts(nfo, "actor/name") == ["Sigourney Weaver", "Tom Skerritt"]
    assert texts(nfo, "actor/role") == ["Ripley", "Dallas"]
    assert texts(nfo, "actor/thumb") == ["https://image.tmdb.org/t/p/w185/w.jpg"]
    assert texts(nfo, "thumb") == ["https://image.tmdb.org/t/p/w780/p.jpg"]
    assert texts(nfo, "fanart/thumb") == ["https://image.tmdb.org/t/p/w1280/b.jpg"]
    rating = nfo.find("ratings/rating")
    assert rating is not None
    assert (rating.get("name"), rating.findtext("value")) == ("themoviedb", "8.16")
    assert rating.findtext("votes") == "14023"
    ids = [(one.get("type"), one.text) for one in nfo.findall("uniqueid")]
    assert ids == [("imdb", "tt0078748"), ("tmdb", "348")]


@pytest.mark.anyio
async def test_texts_of_a_series_fall_back_to_english() -> None:
    async with fake_provider({"/tv/1437": firefly}) as server:
        tmdb = Tmdb(server.source("tmdb"), "key", "de-DE")
        found = await tmdb.details("series", "1437", WIDTHS, "aired")
    series = read(series_nfo(SERIES, found))
    assert series.findtext("plot") == "Five hundred years in the future."
    assert (series.findtext("status"), series.findtext("mpaa")) == ("Ended", "TV-14")
    assert (texts(series, "studio"), texts(series, "credits")) == (["FOX"], ["Joss Whedon"])
    assert texts(series, "actor/role") == ["Mal"]
    assert [one.get("season") for one in series.findall("thumb[@type='season']")] == ["1"]
    episode = read(episodes_nfo(SERIES, [EPISODE], found))
    assert episode.findtext("plot") == "Mal takes passengers."
    assert (episode.findtext("runtime"), episode.findtext("aired")) == ("87", "2002-12-20")
    assert texts(episode, "director") == ["Joss Whedon"]
    assert texts(episode, "thumb") == ["https://image.tmdb.org/t/p/w780/s.jpg"]
    assert texts(episode, "uniqueid") == ["62"]


@pytest.mark.anyio
async def test_details_follow_the_order_of_the_numbers() -> None:
    later = {"season_number": 1, "episode_number": 9, "name": "S", "overview": "First on DVD."}
    answers = {
        "/tv/1437": firefly,
        "/tv/1437/episode_groups": {"results": [{"id": "g3", "type": 3}]},
        "/tv/episode_group/g3": {"groups": [{"order": 1, "episodes": [{**later, "order": 0}]}]},
    }
    async with fake_provider(answers) as server:
        tmdb = Tmdb(server.source("tmdb"), "key", "en-US")
        found = await tmdb.details("series", "1437", WIDTHS, "dvd")
    assert {numbers: one.plot for numbers, one in found.episodes.items()} == {
        (1, 1): "First on DVD."
    }


def tvdb_episodes(name: str | None, overview: str | None) -> dict[str, Any]:
    given = {"id": 297999, "seasonNumber": 1, "number": 1, "name": name, "overview": overview}
    given |= {"aired": "2002-12-20", "runtime": 86, "image": "https://example.org/1.jpg"}
    return {"data": {"episodes": [given]}, "links": {"next": None}}


TVDB = {
    "/login": {"data": {"token": "a-token"}},
    "/series/78874/extended": {
        "data": {
            "id": 78874,
            "overview": "In English",
            "firstAired": "2002-09-20",
            "averageRuntime": 45,
            "status": {"id": 2, "name": "Ended"},
            "genres": [{"id": 2, "name": "Science Fiction"}],
            "contentRatings": [
                {"name": "TV-14", "country": "usa"},
                {"name": "12", "country": "deu"},
            ],
            "originalNetwork": {"id": 1, "name": "FOX"},
            "companies": [{"id": 1, "name": "FOX"}],
            "characters": [
                {"name": "Wash", "personName": "Alan Tudyk", "peopleType": "Actor", "sort": 2},
                {
                    "name": "Mal",
                    "personName": "Nathan Fillion",
                    "peopleType": "Actor",
                    "personImgURL": "https://example.org/nf.jpg",
                    "sort": 1,
                },
                {"name": None, "personName": "Joss Whedon", "peopleType": "Writer"},
            ],
            "translations": {
                "overviewTranslations": [{"language": "deu", "overview": "Auf Deutsch"}]
            },
        }
    },
    "/series/78874/episodes/official/deu": tvdb_episodes(None, None),
    "/series/78874/episodes/official/eng": tvdb_episodes("Serenity", "Mal takes passengers."),
    "/movies/9/extended": {
        "data": {
            "runtime": 117,
            "first_release": {"country": "global", "date": "1979-05-25"},
            "companies": {"studio": [{"name": "Brandywine"}], "network": []},
            "contentRatings": None,
            "characters": None,
        }
    },
}


@pytest.mark.anyio
async def test_nfo_tells_what_tvdb_knows() -> None:
    async with fake_provider(TVDB) as server:
        tvdb = Tvdb(server.source("tvdb"), "key", None, "de-DE")
        found = await tvdb.details("series", "78874", WIDTHS, "aired")
        movie = await tvdb.details("movie", "9", WIDTHS, "aired")
        (listed,) = await tvdb.episodes("78874", "aired")
    series = read(series_nfo(SERIES, found))
    assert (series.findtext("plot"), series.findtext("mpaa")) == ("Auf Deutsch", "FSK-12")
    assert (series.findtext("runtime"), series.findtext("status")) == ("45", "Ended")
    assert texts(series, "actor/name") == ["Nathan Fillion", "Alan Tudyk"]
    assert texts(series, "actor/thumb") == ["https://example.org/nf.jpg"]
    assert texts(series, "studio") == ["FOX"]
    episode = read(episodes_nfo(SERIES, [listed], found))
    assert (episode.findtext("title"), episode.findtext("plot")) == (
        "Serenity",
        "Mal takes passengers.",
    )
    assert texts(episode, "thumb") == ["https://example.org/1.jpg"]
    assert (movie.premiered, movie.studios, movie.runtime) == ("1979-05-25", ("Brandywine",), 117)


MAZE: dict[str, Any] = {
    "/search/shows": [{"show": {"id": 180, "name": "Firefly", "premiered": "2002-09-20"}}],
    "/shows/180": {
        "id": 180,
        "name": "Firefly",
        "premiered": "2002-09-20",
        "summary": "<p><b>Firefly</b> is set in 2517 &amp; on.</p><p>It has <i>nine</i> parts.</p>",
        "runtime": None,
        "averageRuntime": 60,
        "status": "Ended",
        "genres": ["Western"],
        "rating": {"average": 8.9},
        "network": {"name": "FOX", "country": {"code": "US"}},
        "webChannel": None,
        "_embedded": {
            "cast": [
                {
                    "person": {"name": "Nathan Fillion", "image": {"medium": "https://e.org/m"}},
                    "character": {"name": "Mal"},
                }
            ]
        },
    },
    "/shows/180/akas": [],
    "/shows/180/images": [],
    "/shows/180/episodes": [
        {
            "id": 12998,
            "season": 1,
            "number": 1,
            "name": "Serenity",
            "airdate": "2002-12-20",
            "runtime": 90,
            "summary": "<p>Mal takes passengers.</p>",
            "rating": {"average": 8.2},
            "image": {"medium": "https://e.org/1m.jpg", "original": "https://e.org/1.jpg"},
        }
    ],
}


@pytest.mark.anyio
async def test_nfo_tells_what_tvmaze_knows() -> None:
    async with fake_provider(MAZE) as server:
        found = await TvMaze(server.source("tvmaze")).details("series", "180", WIDTHS, "aired")
    series = read(series_nfo(SERIES, found))
    assert series.findtext("plot") == "Firefly is set in 2517 & on.\nIt has nine parts."
    assert (series.findtext("runtime"), texts(series, "genre")) == ("60", ["Western"])
    assert texts(series, "actor/thumb") == ["https://e.org/m"]
    episode = read(episodes_nfo(SERIES, [EPISODE], found))
    assert (episode.findtext("plot"), episode.findtext("runtime")) == (
        "Mal takes passengers.",
        "90",
    )
    assert texts(episode, "thumb") == ["https://e.org/1.jpg"]


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


async def use_tvmaze(harness: JobHarness, server: FakeProvider) -> None:
    options = await harness.ask("GET", "/api/settings")
    options |= {"addresses": {"tvmaze": server.address}, "seriesProvider": "tvmaze"}
    await harness.ask("PUT", "/api/settings", json=options)
    for folder in await harness.ask("GET", "/api/folders"):
        if folder["kind"] != "folder":
            await harness.ask("PATCH", f"/api/folders/{folder['id']}", json={"nfo": True})


def maze_with_two_episodes() -> dict[str, Any]:
    (first,) = MAZE["/shows/180/episodes"]
    second = {**first, "id": 2, "number": 2, "summary": "<p>Two.</p>", "image": None}
    return {**MAZE, "/shows/180/episodes": [{**first, "image": None}, second]}


@pytest.mark.anyio
async def test_details_are_fetched_once_for_a_series(tmp_path: Path) -> None:
    async with (
        fake_provider(maze_with_two_episodes()) as server,
        job_harness_at(tmp_path, demo=False, allow_private_addresses=True) as harness,
    ):
        await use_tvmaze(harness, server)
        for number in (1, 2):
            harness.file(f"Firefly.S01E0{number}.mkv")
            job = await harness.start(action="move", templates={"series": "{n}/{s00e00}"})
            await harness.execute(job["jobId"])
        assert read((harness.shows / "Firefly/tvshow.nfo").read_bytes()).findtext("genre")
        for number, plot in ((1, "Mal takes passengers."), (2, "Two.")):
            nfo = read((harness.shows / f"Firefly/S01E0{number}.nfo").read_bytes())
            assert nfo.findtext("plot") == plot
        asked = Counter(one.path for one in server.requests)
        assert "/shows/180" in asked
        assert set(asked.values()) == {1}, asked


@pytest.mark.anyio
@pytest.mark.parametrize(
    "answer",
    [web.json_response({"summary": 5}), web.Response(text="oops", status=500), web.Response()],
    ids=["wrong types", "broken", "empty"],
)
async def test_nfo_without_details_if_the_catalog_fails(
    tmp_path: Path, answer: web.Response
) -> None:
    async with (
        fake_provider(maze_with_two_episodes()) as server,
        job_harness_at(tmp_path, demo=False, allow_private_addresses=True) as harness,
    ):
        await use_tvmaze(harness, server)
        harness.file("Firefly.S01E01.mkv")
        job = await harness.start(action="move", templates={"series": "{n}/{s00e00}"})
        body = answer.body if isinstance(answer.body, bytes) else b""
        server.failures = [web.Response(body=body, status=answer.status) for _ in range(20)]
        done = await harness.execute(job["jobId"])
        assert done["items"]["done"] == 1
        nfo = read((harness.shows / "Firefly/S01E01.nfo").read_bytes())
        assert (nfo.findtext("title"), nfo.findtext("plot")) == ("Serenity", None)


@pytest.mark.anyio
async def test_pictures_of_a_host_that_fails_are_left_out(tmp_path: Path) -> None:
    async with (
        fake_provider(MAZE) as server,
        job_harness_at(tmp_path, demo=False, allow_private_addresses=True) as harness,
    ):
        (first,) = MAZE["/shows/180/episodes"]
        server.answers["/shows/180/episodes"] = [
            {**first, "number": number, "image": {"original": f"{server.address}/{number}.jpg"}}
            for number in range(1, 31)
        ]
        for number in range(1, 31):
            server.answers[f"/{number}.jpg"] = broken_connection
            harness.file(f"Firefly.S01E{number:02}.mkv")
        await use_tvmaze(harness, server)
        job = await harness.start(action="move", templates={"series": "{n}/{s00e00}"})
        done = await harness.execute(job["jobId"])
        assert done["items"]["done"] == 30
        assert len(list(harness.shows.rglob("*.nfo"))) == 31
        asked = {one.path for one in server.requests if one.path.endswith(".jpg")}
        assert len(asked) < 15


def broken_connection(asked: ReceivedRequest) -> None:
    raise ConnectionResetError(asked.path)


@pytest.mark.parametrize(
    ("language", "expected"),
    [("de", "FSK-16"), ("de-AT", "R"), ("en-US", "R"), ("en-GB", "GB-18"), ("ja", "R")],
)
def test_age_rating_is_that_of_the_country(language: str, expected: str) -> None:
    assert certification({"US": "R", "DE": "16", "GB": "18"}, language) == expected
