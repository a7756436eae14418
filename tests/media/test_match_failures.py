"""A provider that fails or lies leads to a review, never to a guess."""

from pathlib import Path

import pytest
from aiohttp import web

from tests.media.fake_provider import fake_provider
from tests.media.match_harness import match_harness

pytestmark = pytest.mark.anyio

FIREFLY = {"id": 180, "name": "Firefly", "premiered": "2002-09-20"}
EPISODES = [
    {"season": 1, "number": 1, "name": "The Train Job"},
    {"season": 1, "number": 2, "name": "Bushwhacked"},
]
ANSWERS = {
    "/search/shows": [{"score": 1, "show": FIREFLY}],
    "/shows/180/episodes": EPISODES,
    "/lookup/shows": FIREFLY,
}


async def test_whole_series_needs_one_search_and_one_episode_list(tmp_path: Path) -> None:
    async with (
        fake_provider(ANSWERS) as server,
        match_harness(tmp_path, demo=False, addresses={"tvmaze": server.address}) as at,
    ):
        names = ["Firefly.S01E01.mkv", "firefly s01e02.mkv", "Firefly (2002) - S01E02.mkv"]
        found = await at.match(*names * 20)
        assert all(match.confidence > 0.9 for match in found)
        paths = [asked.path for asked in server.requests]
        assert paths.count("/search/shows") <= 2
        assert paths.count("/shows/180/episodes") == 1


@pytest.mark.parametrize(
    ("status", "body"),
    [(429, ""), (500, "oops"), (200, "<html>Welcome to the hotel</html>"), (200, ""), (401, "")],
)
async def test_provider_failure_needs_review(tmp_path: Path, status: int, body: str) -> None:
    async with (
        fake_provider(ANSWERS) as server,
        match_harness(tmp_path, demo=False, addresses={"tvmaze": server.address}) as at,
    ):
        heads = {"Retry-After": "0"}
        server.failures = [web.Response(status=status, text=body, headers=heads) for _ in range(9)]
        found = await at.one("Firefly.S01E01.mkv")
        assert (found.best, found.confidence, found.reasons) == (None, 0.0, ("provider_failed",))
        assert found.error


async def test_failed_episode_list_needs_review(tmp_path: Path) -> None:
    broken = {**ANSWERS, "/shows/180/episodes": {"not": "a list"}}
    async with (
        fake_provider(broken) as server,
        match_harness(tmp_path, demo=False, addresses={"tvmaze": server.address}) as at,
    ):
        found = await at.one("Firefly.S01E01.mkv")
        assert (found.confidence, found.reasons) == (0.0, ("provider_failed",))


async def test_unreachable_provider(tmp_path: Path) -> None:
    async with match_harness(
        tmp_path, demo=False, addresses={"tvmaze": "http://127.0.0.1:9"}
    ) as at:
        found = await at.one("Firefly.S01E01.mkv")
        assert found.error and found.error.code == "unreachable"


async def test_empty_result_and_other_title_are_no_match(tmp_path: Path) -> None:
    async with (
        fake_provider({"/search/shows": []}) as server,
        match_harness(tmp_path, demo=False, addresses={"tvmaze": server.address}) as at,
    ):
        assert (await at.one("Firefly.S01E01.mkv")).reasons == ("nothing_found",)
        server.answers = ANSWERS
        assert (await at.one("Battlestar.Galactica.S01E01.mkv")).best is None


async def test_id_in_name_is_trusted(tmp_path: Path) -> None:
    async with (
        fake_provider(ANSWERS) as server,
        match_harness(tmp_path, demo=False, addresses={"tvmaze": server.address}) as at,
    ):
        found = await at.one("FF [tvdbid-78874] S01E01.mkv")
        assert found.best and found.best.title == "Firefly"
        assert (found.confidence, found.reasons) == (1.0, ("by_id",))


async def test_title_in_another_language_is_found(tmp_path: Path) -> None:
    heist = {"id": 27436, "name": "La Casa de Papel", "premiered": "2017-05-02"}
    answers = {
        "/search/shows": [{"score": 1, "show": heist}],
        "/shows/27436": heist,
        "/shows/27436/akas": [{"name": "Money Heist"}, {"name": "Haus des Geldes"}],
        "/shows/27436/episodes": EPISODES,
    }
    async with (
        fake_provider(answers) as server,
        match_harness(tmp_path, demo=False, addresses={"tvmaze": server.address}) as at,
    ):
        found = await at.one("Haus.des.Geldes.S01E02.German.1080p.mkv")
        assert found.best and found.best.title == "La Casa de Papel"
        assert found.confidence > 0.9


async def test_failing_provider_is_given_up(tmp_path: Path) -> None:
    options = {"seriesProvider": "tmdb", "keys": {"tmdb": "k"}}
    async with (
        fake_provider({}) as server,
        match_harness(tmp_path, demo=False, addresses={"tmdb": server.address}, **options) as at,
    ):
        server.failures = [web.Response(status=500) for _ in range(500)]
        found = await at.match(*(f"Series {number + 100}x S01E01.mkv" for number in range(200)))
        assert all(match.reasons == ("provider_failed",) for match in found)
        assert len(server.requests) < 30
