from typing import Any

import pytest

from quartet.kernel.errors import AppError
from quartet.media.catalog.tmdb import Tmdb
from quartet.media.names.types import Ids
from tests.media.fake_provider import FakeProvider, ReceivedRequest, fake_provider

pytestmark = pytest.mark.anyio

MOVIE = {
    "id": 348,
    "title": "Alien - Das unheimliche Wesen",
    "original_title": "Alien",
    "release_date": "1979-05-25",
    "poster_path": "/alien.jpg",
    "vote_average": 8.2,
    "external_ids": {"imdb_id": "tt0078748"},
    "alternative_titles": {"titles": [{"title": "Alien, el octavo pasajero"}]},
}
SHOW = {
    "id": 1437,
    "name": "Firefly",
    "first_air_date": "2002-09-20",
    "seasons": [{"season_number": 0}, {"season_number": 1}],
    "number_of_episodes": 2,
    "external_ids": {"tvdb_id": 78874},
}


def episode(season: int, number: int, name: str, order: int = 0) -> dict[str, Any]:
    return {"season_number": season, "episode_number": number, "name": name, "order": order}


def show(asked: ReceivedRequest) -> dict[str, Any]:
    names = ["Serenity", "The Train Job"]
    if asked.query["language"] == "de-DE":
        names = ["Serenity", "Folge 2"]
    wanted = asked.query.get("append_to_response", "")
    seasons = {
        "season/0": {"episodes": [episode(0, 1, "Making of")]},
        "season/1": {"episodes": [episode(1, 1, names[0]), episode(1, 2, names[1])]},
    }
    return {**SHOW, **{name: seasons[name] for name in wanted.split(",") if name in seasons}}


ANSWERS = {
    "/search/movie": {"results": [MOVIE]},
    "/search/tv": {"results": [SHOW]},
    "/movie/348": {
        **MOVIE,
        "belongs_to_collection": {"id": 8091, "name": "Alien Filmreihe"},
        "genres": [{"id": 27, "name": "Horror"}],
    },
    "/tv/1437": show,
    "/find/tt0078748": {"movie_results": [MOVIE], "tv_results": []},
    "/tv/1437/episode_groups": {"results": [{"id": "g2", "type": 2}, {"id": "g3", "type": 3}]},
    "/tv/episode_group/g2": {
        "groups": [
            {"order": 1, "episodes": [episode(1, 2, "The Train Job"), episode(1, 1, "Serenity")]}
        ]
    },
    "/tv/episode_group/g3": {
        "groups": [{"order": 1, "episodes": [episode(1, 2, "The Train Job", order=0)]}]
    },
}


def tmdb(server: FakeProvider, key: str | None = "key3", language: str = "de-DE") -> Tmdb:
    return Tmdb(server.source("tmdb"), key, language)


async def test_movies_are_in_configured_language() -> None:
    async with fake_provider(ANSWERS) as server:
        (found,) = await tmdb(server).search_movie("alien", 1979)
        assert (found.title, found.original_title) == ("Alien - Das unheimliche Wesen", "Alien")
        assert (found.id, found.year, found.kind) == ("348", 1979, "movie")
        assert found.poster and found.poster.endswith("/alien.jpg")
        asked = server.requests[0].query
        assert (asked["language"], asked["year"], asked["api_key"]) == ("de-DE", "1979", "key3")
        whole = await tmdb(server).movie("348")
        assert whole is not None
        assert (whole.collection, whole.genres) == ("Alien Filmreihe", ("Horror",))
        assert whole.ids == Ids("tt0078748", 348)
        assert whole.other_titles == ("Alien, el octavo pasajero",)
        assert await tmdb(server).movie("9") is None
        assert await tmdb(server).movie("../account") is None


async def test_version_4_key_is_sent_as_bearer_token() -> None:
    async with fake_provider(ANSWERS) as server:
        await tmdb(server, "eyJhbGciOi").search_movie("alien", None)
        assert server.requests[0].authorization == "Bearer eyJhbGciOi"
        assert "api_key" not in server.requests[0].query


async def test_missing_key_sends_no_request() -> None:
    async with fake_provider(ANSWERS) as server:
        with pytest.raises(AppError, match="provider_key_missing"):
            await tmdb(server, "").search_series("firefly", None)
        assert server.requests == []


async def test_key_is_not_part_of_cache_key() -> None:
    async with fake_provider(ANSWERS) as server:
        await tmdb(server, "first").search_movie("alien", None)
        await tmdb(server, "second").search_movie("alien", None)
        assert len(server.requests) == 1


async def test_find_by_id_of_another_catalog() -> None:
    async with fake_provider(ANSWERS) as server:
        found = await tmdb(server).find("movie", Ids(imdb="tt0078748"))
        assert found and found.id == "348"
        assert await tmdb(server).find("series", Ids(imdb="tt0078748")) is None
        assert await tmdb(server).find("movie", Ids(imdb="tt1")) is None
        by_own = await tmdb(server).find("series", Ids(tmdb=1437))
        assert by_own and by_own.title == "Firefly"


async def test_missing_episode_titles_fall_back_to_english() -> None:
    async with fake_provider(ANSWERS) as server:
        found = await tmdb(server).episodes("1437", "aired")
        assert [(each.season, each.episode, each.absolute, each.title) for each in found] == [
            (0, 1, None, "Making of"),
            (1, 1, 1, "Serenity"),
            (1, 2, 2, "The Train Job"),
        ]
        assert len(server.requests) == 4


async def test_absolute_and_dvd_order() -> None:
    async with fake_provider(ANSWERS) as server:
        absolute = await tmdb(server, language="en-US").episodes("1437", "absolute")
        assert [(each.absolute, each.episode) for each in absolute] == [(1, 2), (2, 1)]
        dvd = await tmdb(server, language="en-US").episodes("1437", "dvd")
        assert [(each.season, each.episode, each.title) for each in dvd] == [
            (1, 1, "The Train Job")
        ]


async def test_invalid_season_is_a_provider_failure() -> None:
    async with fake_provider({"/tv/1437": {**SHOW, "season/0": 5}}) as server:
        with pytest.raises(AppError, match="provider_failed"):
            await tmdb(server, language="en-US").episodes("1437", "aired")


async def test_answer_without_seasons_is_not_remembered() -> None:
    async with fake_provider(ANSWERS) as server:
        server.answers["/tv/1437"] = SHOW
        with pytest.raises(AppError, match="provider_failed"):
            await tmdb(server, language="en-US").episodes("1437", "aired")
        server.answers["/tv/1437"] = show
        assert await tmdb(server, language="en-US").episodes("1437", "aired")
