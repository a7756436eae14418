"""What all providers share: cache, rate limit and error codes."""

import time
from pathlib import Path

import pytest
from aiohttp import web

from quartet.kernel.errors import AppError
from quartet.media.app import SERVICE
from quartet.media.catalog.tvmaze import TvMaze
from tests.client import client_of
from tests.media.fake_provider import fake_provider

pytestmark = pytest.mark.anyio

SHOW = {"id": 180, "name": "Firefly", "premiered": "2002-09-20"}
ANSWERS = {"/search/shows": [{"score": 1, "show": SHOW}]}


async def test_same_request_is_sent_once() -> None:
    async with fake_provider(ANSWERS) as server:
        provider = TvMaze(server.source("tvmaze"))
        first = await provider.search_series("firefly", None)
        assert await provider.search_series("firefly", None) == first
        assert len(server.requests) == 1
        # "Not found" is cached too.
        assert await provider.series("1") is None
        assert await provider.series("1") is None
        assert len(server.requests) == 2


async def test_rate_limited_request_is_retried() -> None:
    async with fake_provider(ANSWERS) as server:
        server.failures = [web.Response(status=429, headers={"Retry-After": "0"})]
        found = await TvMaze(server.source("tvmaze")).search_series("firefly", None)
        assert [candidate.title for candidate in found] == ["Firefly"]
        assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (429, "slow down", "provider_busy"),
        (500, "oops", "provider_failed"),
        (503, "oops", "provider_failed"),
        (401, "who?", "provider_refused"),
        (403, "no", "provider_refused"),
        (200, "<html>Log in to this network</html>", "bad_answer"),
        (200, "", "bad_answer"),
        (200, '{"not": "a list"}', "bad_answer"),
        (200, "[[[[", "bad_answer"),
    ],
)
async def test_failures_have_a_code_and_are_not_cached(status: int, body: str, code: str) -> None:
    async with fake_provider(ANSWERS) as server:
        server.failures = [web.Response(status=status, text=body) for _ in range(3)]
        provider = TvMaze(server.source("tvmaze"))
        with pytest.raises(AppError) as failed:
            await provider.search_series("firefly", None)
        assert failed.value.code == code
        server.failures.clear()
        assert await provider.search_series("firefly", None)


async def test_requests_respect_the_rate_limit() -> None:
    async with fake_provider({"/shows/1": SHOW, "/shows/2": SHOW, "/shows/3": SHOW}) as server:
        source = server.source("tvmaze")
        source._pace = type(source._pace)(per_second=20)
        started = time.monotonic()
        for id in ("1", "2", "3"):
            await source.fetch(f"/shows/{id}", dict)
        assert time.monotonic() - started >= 0.09


async def test_search_uses_configured_address(tmp_path: Path) -> None:
    async with (
        fake_provider(ANSWERS) as server,
        client_of(SERVICE, tmp_path, allow_private_addresses=True) as client,
    ):
        settings = {"addresses": {"tvmaze": server.address}}
        assert (await client.put("/api/settings", json=settings)).status_code == 200
        path = "/api/catalog/search?kind=series&title=firefly"
        for _ in range(2):
            found = (await client.get(path)).json()
            assert [entry["title"] for entry in found] == ["Firefly"]
        assert len(server.requests) == 1
        missing = await client.get("/api/catalog/search?kind=movie&title=x&provider=tmdb")
        assert missing.json() == {
            "code": "provider_key_missing",
            "inputs": {"provider": "tmdb"},
        }
        infos = {info["name"]: info for info in (await client.get("/api/catalog/providers")).json()}
        assert infos["tvmaze"]["ready"]
        assert not infos["tmdb"]["ready"]


async def test_settings_mask_keys(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        key = "0123456789abcdef0123456789abcdef"
        sent = {"language": "de-DE", "keys": {"tmdb": key, "omdb": "short"}}
        shown = (await client.put("/api/settings", json=sent)).json()
        assert {name: text for name, text in shown["keys"].items() if text} == {
            "tmdb": "0123…cdef",
            "omdb": "…",
        }
        assert shown["language"] == "de-DE"
        assert (await client.get("/api/settings")).json() == shown
        # A masked key sent back is kept.
        await client.put("/api/settings", json=shown)
        assert (await client.get("/api/settings")).json() == shown
        gone = await client.put("/api/settings", json={"keys": {"tmdb": "-"}})
        assert gone.json()["keys"]["tmdb"] == ""
        assert gone.json()["keys"]["omdb"] == "…"
        for wrong in ({"autoThreshold": 2}, {"language": "german"}, {"order": "random"}):
            assert await client.code("PUT", "/api/settings", json=wrong) == (400, "invalid_request")


async def test_demo_needs_no_network(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path, demo=True) as client:
        found = (await client.get("/api/catalog/search?kind=movie&title=blade+runner")).json()
        assert found[0]["title"] == "Blade Runner"
        assert found[0]["provider"] == "demo"
