"""The details of a title from TMDB, TheTVDB and TVmaze are written to its NFO files."""

from typing import Any

import pytest

from quartet.media.artwork.nfo import episodes_nfo, movie_nfo, series_nfo
from quartet.media.catalog.certification import certification
from quartet.media.catalog.tmdb import Tmdb
from quartet.media.catalog.tvdb import Tvdb
from quartet.media.catalog.tvmaze import TvMaze
from quartet.media.catalog.types import Candidate
from quartet.media.names.types import Ids
from tests.media.fake_provider import ReceivedRequest, fake_provider
from tests.media.firefly import EPISODE, MAZE, SERIES, WIDTHS, read, texts

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


@pytest.mark.parametrize(
    ("language", "expected"),
    [("de", "FSK-16"), ("de-AT", "R"), ("en-US", "R"), ("en-GB", "GB-18"), ("ja", "R")],
)
def test_age_rating_is_that_of_the_country(language: str, expected: str) -> None:
    assert certification({"US": "R", "DE": "16", "GB": "18"}, language) == expected
