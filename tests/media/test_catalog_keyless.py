"""AniList, OMDb and Wikidata."""

import pytest
from aiohttp import web

from quartet.kernel.errors import AppError
from quartet.media.catalog.anilist import AniList
from quartet.media.catalog.omdb import Omdb
from quartet.media.catalog.wikidata import Wikidata
from quartet.media.names.types import Ids
from tests.media.fake_provider import ReceivedRequest, fake_provider

pytestmark = pytest.mark.anyio

BEBOP = {
    "id": 1,
    "format": "TV",
    "episodes": 26,
    "averageScore": 86,
    "synonyms": ["Bebop"],
    "title": {"romaji": "Cowboy Bebop", "english": None, "native": "カウボーイビバップ"},
    "startDate": {"year": 1998},
    "coverImage": {"large": None},
}


async def test_anilist_search_and_episodes() -> None:
    async with fake_provider({"/": {"data": {"Page": {"media": [BEBOP]}}}}) as server:
        anilist = AniList(server.source("anilist"), "de-DE")
        (found,) = await anilist.search_series("カウボーイビバップ", None)
        assert (found.title, found.original_title) == ("Cowboy Bebop", "カウボーイビバップ")
        assert (found.year, found.rating, found.other_titles[-1]) == (1998, 8.6, "Bebop")
        assert server.requests[0].body["variables"]["title"] == "カウボーイビバップ"
        japanese = AniList(server.source("anilist"), "ja")
        (native,) = await japanese.search_movie("x", None)
        assert native.title == "カウボーイビバップ"
        episodes = await anilist.episodes("1", "absolute")
        assert [each.absolute for each in episodes] == list(range(1, 27))
        assert await anilist.movie("x") is None


async def test_anilist_retries_when_rate_limited() -> None:
    async with fake_provider({"/": {"data": {"Page": {"media": []}}}}) as server:
        server.failures = [web.Response(status=429, headers={"Retry-After": "0"})]
        assert await AniList(server.source("anilist"), "en").search_series("x", None) == []
        assert len(server.requests) == 2


async def test_anilist_response_without_data_fails_and_is_not_cached() -> None:
    async with fake_provider({"/": {"data": None, "errors": [{"message": "oops"}]}}) as server:
        with pytest.raises(AppError, match="provider_failed"):
            await AniList(server.source("anilist"), "en").search_series("x", None)
        assert server.kept == {}


def omdb_answer(asked: ReceivedRequest) -> object:
    query = asked.query
    if "s" in query and query["s"] == "alien":
        hit = {"Title": "Alien", "Year": "1979", "imdbID": "tt0078748", "Poster": "N/A"}
        return {"Response": "True", "Search": [hit]}
    if query.get("Season") == "1":
        episode = {"Title": "The Train Job", "Released": "2002-09-20", "Episode": "1"}
        return {"Response": "True", "Episodes": [episode]}
    if query.get("i") == "tt0303461":
        shown = {"Title": "Firefly", "Year": "2002-2003", "imdbID": "tt0303461"}
        return {"Response": "True", **shown, "totalSeasons": "1", "imdbRating": "9.0"}
    if query.get("i") == "tt9":
        return {"Response": "False", "Error": "Something went wrong."}
    return {"Response": "False", "Error": "Movie not found!"}


async def test_omdb_search_and_episodes() -> None:
    async with fake_provider({"/": omdb_answer}) as server:
        omdb = Omdb(server.source("omdb"), "k")
        (found,) = await omdb.search_movie("alien", 1979)
        assert (found.id, found.year, found.poster) == ("tt0078748", 1979, None)
        assert server.requests[0].query["apikey"] == "k"
        assert await omdb.search_movie("nothing", None) == []
        firefly = await omdb.find("series", Ids(imdb="tt0303461"))
        assert firefly and (firefly.year, firefly.rating) == (2002, 9.0)
        (episode,) = await omdb.episodes("tt0303461", "aired")
        assert (episode.title, episode.air_date) == ("The Train Job", "2002-09-20")
        with pytest.raises(AppError, match="provider_failed"):
            await omdb.movie("tt9")
        with pytest.raises(AppError, match="provider_key_missing"):
            await Omdb(server.source("omdb"), None).movie("tt9")


def row(**values: str) -> dict[str, dict[str, str]]:
    return {name: {"type": "literal", "value": value} for name, value in values.items()}


STALKER = row(
    item="http://www.wikidata.org/entity/Q483815",
    itemLabel="Stalker",
    original="Сталкер",
    year="1979",
    imdbId="tt0079944",
    tmdbId="1398",
)


async def test_wikidata_search_and_lookup() -> None:
    async with fake_provider({"/sparql": {"results": {"bindings": [STALKER]}}}) as server:
        wikidata = Wikidata(server.source("wikidata"), "de-DE")
        (found,) = await wikidata.search_movie("Stalker", None)
        assert (found.id, found.title, found.original_title) == ("Q483815", "Stalker", "Сталкер")
        assert (found.year, found.ids) == (1979, Ids("tt0079944", 1398))
        assert await wikidata.movie("Q483815") == found
        assert await wikidata.find("movie", Ids(imdb="tt0079944")) == found
        assert await wikidata.search_series("x", None) == []
        count = len(server.requests)
        assert await wikidata.movie("Q1 } DROP") is None
        assert len(server.requests) == count


async def test_wikidata_query_escapes_title() -> None:
    async with fake_provider({"/sparql": {"results": {"bindings": []}}}) as server:
        title = 'x" } SELECT \\" \n'
        await Wikidata(server.source("wikidata"), "en").search_movie(title, None)
        assert 'mwapi:search "x\\" } SELECT \\\\\\"  "' in server.requests[0].query["query"]
