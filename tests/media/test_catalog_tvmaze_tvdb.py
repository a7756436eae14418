import pytest
from aiohttp import web

from quartet.kernel.errors import AppError
from quartet.media.catalog.tvdb import Tvdb
from quartet.media.catalog.tvmaze import TvMaze
from quartet.media.names.types import Ids
from tests.media.fake_provider import FakeProvider, ReceivedRequest, fake_provider

pytestmark = pytest.mark.anyio

FIREFLY = {
    "id": 180,
    "name": "Firefly",
    "premiered": "2002-09-20",
    "image": {"medium": "https://images.example.org/180.jpg"},
    "externals": {"imdb": "tt0303461", "thetvdb": 78874, "tvrage": 3548},
    "rating": {"average": 8.9},
}
MAZE = {
    "/search/shows": [{"score": 0.9, "show": FIREFLY}],
    "/shows/180": FIREFLY,
    "/shows/180/akas": [{"name": "Firefly - Der Aufbruch der Serenity", "country": None}],
    "/lookup/shows": FIREFLY,
    "/shows/180/episodes": [
        {"season": 1, "number": 1, "name": "The Train Job", "airdate": "2002-09-20"},
        {"season": 1, "number": None, "name": "Behind", "airdate": "2003-01-02"},
        {"season": 1, "number": 2, "name": "Bushwhacked", "airdate": "2002-09-27"},
    ],
    "/shows/180/alternatelists": [{"id": 7, "dvd_release": False}, {"id": 8, "dvd_release": True}],
    "/alternatelists/8/alternateepisodes": [
        {
            "season": 1,
            "number": 2,
            "name": "two",
            "_embedded": {"episodes": [{"season": 1, "number": 1, "name": "The Train Job"}]},
        },
        {"season": 1, "number": 1, "name": "Serenity"},
    ],
}


async def test_tvmaze_finds_series() -> None:
    async with fake_provider(MAZE) as server:
        maze = TvMaze(server.source("tvmaze"))
        (found,) = await maze.search_series("firefly", 2002)
        assert (found.id, found.title, found.year) == ("180", "Firefly", 2002)
        assert found.ids == Ids("tt0303461", None, 78874)
        whole = await maze.series("180")
        assert whole and whole.other_titles == ("Firefly - Der Aufbruch der Serenity",)
        assert await maze.find("series", Ids(tvdb=78874)) == found
        assert server.requests[-1].query == {"thetvdb": "78874"}
        assert await maze.search_movie("alien", None) == []
        assert await maze.movie("1") is None
        assert await maze.find("movie", Ids(imdb="tt1")) is None


async def test_tvmaze_orders() -> None:
    async with fake_provider(MAZE) as server:
        maze = TvMaze(server.source("tvmaze"))
        aired = await maze.episodes("180", "aired")
        assert [(each.season, each.episode, each.absolute, each.title) for each in aired] == [
            (0, 1, None, "Behind"),
            (1, 1, 1, "The Train Job"),
            (1, 2, 2, "Bushwhacked"),
        ]
        assert aired[1].air_date == "2002-09-20"
        dvd = await maze.episodes("180", "dvd")
        assert [each.title for each in dvd] == ["Serenity", "The Train Job"]


def episodes(asked: ReceivedRequest) -> object:
    page = int(asked.query["page"])
    number = page + 1
    given = {"seasonNumber": 1, "number": number, "name": f"E{number}", "aired": "2002-09-20"}
    return {
        "data": {"episodes": [given]},
        "links": {"next": None if page else "next"},
    }


TVDB = {
    "/login": {"data": {"token": "a-token"}},
    "/search": {
        "data": [
            {
                "tvdb_id": "78874",
                "name": "Firefly",
                "year": "2002",
                "translations": {"deu": "Firefly - Der Aufbruch der Serenity"},
                "aliases": ["Firefly Class"],
                "remote_ids": [
                    {"id": "tt0303461", "type": 2, "sourceName": "IMDB"},
                    {"id": "1437", "type": 12, "sourceName": "TheMovieDB.com"},
                ],
            }
        ]
    },
    "/series/78874/extended": {
        "data": {
            "id": 78874,
            "name": "Firefly",
            "year": "2002",
            "aliases": [{"language": "eng", "name": "Firefly Class"}],
            "translations": {"nameTranslations": [{"language": "fra", "name": "Firefly (FR)"}]},
        }
    },
    "/search/remoteid/tt0303461": {"data": [{"series": {"id": 78874, "name": "Firefly"}}]},
    "/series/78874/episodes/official/deu": episodes,
    "/series/78874/episodes/absolute/deu": episodes,
}


def tvdb(server: FakeProvider, language: str = "de-DE", key: str = "k") -> Tvdb:
    return Tvdb(server.source("tvdb"), key, "pin", language)


async def test_tvdb_logs_in_once() -> None:
    async with fake_provider(TVDB) as server:
        (found,) = await tvdb(server).search_series("firefly", 2002)
        assert found.title == "Firefly - Der Aufbruch der Serenity"
        assert found.original_title == "Firefly"
        assert found.ids == Ids("tt0303461", 1437, 78874)
        whole = await tvdb(server, "fr").series("78874")
        assert whole and whole.title == "Firefly (FR)"
        by_id = await tvdb(server).find("series", Ids(imdb="tt0303461"))
        assert by_id and by_id.id == "78874"
        assert [asked.path for asked in server.requests].count("/login") == 1
        assert server.requests[0].body == {"apikey": "k", "pin": "pin"}
        assert server.requests[1].authorization == "Bearer a-token"


async def test_tvdb_reads_every_page_of_episodes() -> None:
    async with fake_provider(TVDB) as server:
        aired = await tvdb(server).episodes("78874", "aired")
        assert [(each.season, each.episode, each.absolute) for each in aired] == [
            (1, 1, 1),
            (1, 2, 2),
        ]
        absolute = await tvdb(server).episodes("78874", "absolute")
        assert [each.absolute for each in absolute] == [1, 2]


async def test_tvdb_reports_wrong_or_missing_key() -> None:
    async with fake_provider(TVDB) as server:
        server.failures = [web.Response(status=401) for _ in range(2)]
        with pytest.raises(AppError, match="provider_refused"):
            await tvdb(server).search_movie("alien", None)
        with pytest.raises(AppError, match="provider_key_missing"):
            await tvdb(server, key="").search_movie("alien", None)


async def test_tvdb_logs_in_again_when_token_expires() -> None:
    async with fake_provider(TVDB) as server:
        await tvdb(server).search_series("firefly", 2002)
        server.failures = [web.Response(status=401)]
        assert await tvdb(server).search_series("firefly", 2003)
        assert [asked.path for asked in server.requests].count("/login") == 2
