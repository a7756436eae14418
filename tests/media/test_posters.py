"""The poster route returns pictures and nothing else."""

from pathlib import Path
from urllib.parse import quote
from xml.etree.ElementTree import fromstring

import pytest
from aiohttp import web

from quartet.media.app import SERVICE
from quartet.media.catalog.types import Candidate
from quartet.media.posters.drawn_covers import draw_cover
from quartet.media.posters.poster_cache import MOST_PICTURES, PosterCache
from quartet.media.posters.service import MOST_BYTES
from tests.client import Client, client_of
from tests.media.fake_provider import fake_provider

pytestmark = pytest.mark.anyio

PNG = b"\x89PNG\r\n\x1a\n and the rest"


async def use(client: Client, address: str) -> None:
    settings = {"addresses": {"tvmaze": address}}
    assert (await client.put("/api/settings", json=settings)).status_code == 200


async def code(client: Client, url: str) -> tuple[int, str]:
    return await client.code("GET", f"/api/posters?url={quote(url, safe='')}")


async def test_poster_is_fetched_once(tmp_path: Path) -> None:
    async with (
        fake_provider({}) as server,
        client_of(SERVICE, tmp_path, allow_private_addresses=True) as client,
    ):
        await use(client, server.address)
        server.failures = [web.Response(body=PNG, content_type="text/html")]
        for _ in range(2):
            answer = await client.get("/api/posters", params={"url": f"{server.address}/1.png"})
            assert (answer.content, answer.headers["content-type"]) == (PNG, "image/png")
            assert "immutable" in answer.headers["cache-control"]
        assert len(server.requests) == 1


async def test_other_content_is_refused(tmp_path: Path) -> None:
    async with (
        fake_provider({}) as server,
        client_of(SERVICE, tmp_path, allow_private_addresses=True) as client,
    ):
        await use(client, server.address)
        url = f"{server.address}/1.png"
        server.failures = [
            web.Response(text="<svg onload=alert(1)>", content_type="image/svg+xml"),
            web.Response(body=PNG + bytes(MOST_BYTES)),
        ]
        assert await code(client, url) == (502, "poster_unreadable")
        assert (await code(client, url))[0] >= 400
        assert await code(client, url) == (404, "poster_not_found")


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:1/1.png",
        "http://image.tmdb.org/1.png",
        "https://image.tmdb.org.example.org/1.png",
        "https://image.tmdb.org@127.0.0.1/1.png",
        "https://image.tmdb.org:22/1.png",
        "file:///etc/passwd",
        "//image.tmdb.org/1.png",
        "https://[::1",
        "1.png",
    ],
)
async def test_other_hosts_are_refused(tmp_path: Path, url: str) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        assert await code(client, url) == (403, "poster_elsewhere")


async def test_configured_address_is_still_checked(tmp_path: Path) -> None:
    async with fake_provider({}) as server, client_of(SERVICE, tmp_path) as client:
        await use(client, server.address)
        assert (await code(client, f"{server.address}/1.png"))[1] != "poster_elsewhere"
        assert server.requests == []


def test_oldest_posters_are_deleted(tmp_path: Path) -> None:
    shelf = PosterCache(tmp_path / "posters")
    for number in range(MOST_PICTURES + 1):
        (tmp_path / "posters").mkdir(exist_ok=True)
        (tmp_path / "posters" / f"{number}").write_bytes(b"")
    shelf.put("https://image.tmdb.org/new.png", PNG)
    assert shelf.get("https://image.tmdb.org/new.png") == PNG
    assert len(list((tmp_path / "posters").iterdir())) < MOST_PICTURES


async def test_demo_catalog_has_drawn_covers(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path, demo=True) as client:
        query = {"kind": "series", "title": "Firefly"}
        found = (await client.get("/api/catalog/search", params=query)).json()[0]
        answer = await client.get("/api/posters", params={"url": found["poster"]})
        assert answer.headers["content-type"] == "image/svg+xml"
        assert fromstring(answer.text).tag.endswith("svg") and "Firefly" in answer.text
        assert await code(client, "demo:movie:none") == (404, "poster_not_found")


def test_titles_are_escaped_in_drawn_covers() -> None:
    title = '<script>alert(1)</script> & "more"'
    drawn = draw_cover(Candidate(provider="demo", id="x", kind="movie", title=title, year=1999))
    assert b"<script" not in drawn and fromstring(drawn).tag.endswith("svg")
