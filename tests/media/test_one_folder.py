"""One title has one folder: automatic, manual and remembered matches, with catalogs that fail."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from quartet.media.catalog import provider_client
from quartet.media.match.name_facts import name_facts
from quartet.media.match.types import Match
from quartet.media.names.parse import parse
from quartet.media.naming.presets import PRESETS
from quartet.media.naming.render import render
from quartet.media.types import ProviderName
from tests.media.fake_provider import FakeProvider, fake_provider
from tests.media.match_harness import MatchHarness, match_harness
from tests.media.test_catalog_tvmaze_tvdb import MAZE, TVDB

pytestmark = pytest.mark.anyio

TMDB_HIT = {"id": 1437, "name": "Firefly", "first_air_date": "2002-09-20"}
TMDB = {
    "/search/tv": {"results": [TMDB_HIT]},
    "/tv/1437": {
        **TMDB_HIT,
        "seasons": [{"season_number": 1}],
        "external_ids": {"tvdb_id": 78874, "imdb_id": "tt0303461"},
        "season/1": {
            "episodes": [{"season_number": 1, "episode_number": 1, "name": "The Train Job"}]
        },
    },
}
CATALOGS: dict[ProviderName, tuple[Mapping[str, Any], str]] = {
    "tmdb": (TMDB, "1437"),
    "tvdb": (TVDB, "78874"),
    "tvmaze": (MAZE, "180"),
}
FAILURES = {
    "none": [],
    "busy": [(429, "{}")],
    "broken": [(500, "oops")],
    "empty": [(200, "")],
    "wrong types": [(200, '{"data": "x", "results": 7, "0": []}')],
    "gone for long": [(503, "")] * 30,
}
TEMPLATE = next(one.template for one in PRESETS if one.id == "jellyfin-series")
NAMES = ("Firefly.S01E01.720p.mkv", "firefly s01e01.mkv", "Firefly (2002) - S01E01.mkv")


def folder_of(name: str, match: Match) -> str | None:
    facts = name_facts(parse(name), match)
    return render(TEMPLATE, facts).split("/")[0] if facts else None


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("provider", CATALOGS)
async def test_series_has_one_folder(tmp_path: Path, provider: ProviderName, failure: str) -> None:
    answers, id = CATALOGS[provider]
    options = {"seriesProvider": provider, "language": "de", "keys": {"tmdb": "k", "tvdb": "k"}}
    async with (
        fake_provider(answers) as server,
        match_harness(tmp_path, demo=False, **options, addresses={provider: server.address}) as at,
    ):
        server.failures = [
            web.Response(status=status, text=body, headers={"Retry-After": "0"})
            for status, body in FAILURES[failure]
        ]
        first = await at.match(*NAMES)
        server.failures.clear()
        again = await at.match(*NAMES)
        parsed = parse(NAMES[0])
        (chosen,) = await at.matcher.choose([parsed], "series", provider, id)
        assert chosen.best
        await at.matcher.remember(parsed, chosen.best)
        remembered = await at.match(*NAMES)
        assert remembered[0].overridden
        pairs = [*zip(NAMES * 3, [*first, *again, *remembered], strict=True), (NAMES[0], chosen)]
        # While the catalog fails there is no folder at all, but never another one.
        folders = {folder_of(name, match) for name, match in pairs} - {None}
        assert folders == {"Firefly (2002) [tvdbid-78874]"}
        assert all(match.best for match in again)


@asynccontextmanager
async def slow_catalog(
    base: Path, provider: ProviderName
) -> AsyncIterator[tuple[FakeProvider, MatchHarness]]:
    """Provide a catalog whose answers wait for its gate."""
    options = {"seriesProvider": provider, "language": "de", "keys": {"tmdb": "k", "tvdb": "k"}}
    async with (
        fake_provider(CATALOGS[provider][0]) as server,
        match_harness(base, demo=False, **options, addresses={provider: server.address}) as at,
    ):
        server.gate = asyncio.Event()
        yield server, at
        server.gate.set()


@pytest.mark.parametrize("provider", CATALOGS)
async def test_slow_catalog_is_waited_for(tmp_path: Path, provider: ProviderName) -> None:
    async with slow_catalog(tmp_path, provider) as (server, at):
        matching = asyncio.create_task(at.match(*NAMES))
        await server.asked.wait()
        assert server.gate and not matching.done()
        server.gate.set()
        folders = {folder_of(*pair) for pair in zip(NAMES, await matching, strict=True)}
        assert folders == {"Firefly (2002) [tvdbid-78874]"}


@pytest.mark.parametrize("provider", CATALOGS)
async def test_too_slow_catalog_needs_review_until_it_answers(
    tmp_path: Path, provider: ProviderName, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with slow_catalog(tmp_path, provider) as (server, at):
        with monkeypatch.context() as patch:
            patch.setattr(provider_client, "_TIMEOUT", 0.05)
            (late,) = await at.match(NAMES[0])
        assert (late.best, late.reasons) == (None, ("provider_failed",))
        assert server.gate
        server.gate.set()
        (found,) = await at.match(NAMES[0])
        assert folder_of(NAMES[0], found) == "Firefly (2002) [tvdbid-78874]"
