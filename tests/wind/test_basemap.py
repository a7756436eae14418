"""Requests for tiles and archives."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quartet.wind.basemap import routes
from quartet.wind.basemap.service import BUILT_IN, RELIEF
from tests.client import Client
from tests.wind.pmtiles_files import archive
from tests.wind.quiet import quiet

pytestmark = pytest.mark.anyio

FILE = "/api/map/basemap.pmtiles"
TILES = {(0, 0, 0): b"the world", (1, 0, 0): b"north-west", (1, 1, 1): b"south-east"}


@pytest.fixture
async def wind(tmp_path: Path) -> AsyncIterator[Client]:
    archive(tmp_path / "maps", "basemap.pmtiles", TILES, layer="earth")
    async with quiet(tmp_path) as client:
        yield client


async def test_tiles_are_served_from_the_archive(wind: Client) -> None:
    answer = await wind.get("/api/map/basemap/1/1/1")
    assert (answer.status_code, answer.content) == (200, b"south-east")
    assert answer.headers["content-type"] == "application/vnd.mapbox-vector-tile"
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["vary"] == "accept-encoding"
    plain = await wind.get("/api/map/basemap/1/1/1", headers={"accept-encoding": "identity"})
    assert plain.content == b"south-east" and "content-encoding" not in plain.headers
    known = {"if-none-match": answer.headers["etag"]}
    assert (await wind.get("/api/map/basemap/1/1/1", headers=known)).status_code == 304
    assert (await wind.head("/api/map/basemap/0/0/0")).status_code == 200


async def test_missing_tile_is_empty(wind: Client) -> None:
    for path in ("1/1/0", "2/0/0", "26/0/0"):
        answer = await wind.get(f"/api/map/basemap/{path}")
        assert (answer.status_code, answer.content) == (204, b"")


NO_TILES = [
    *("-1/0/0", "27/0/0", "30/0/0", "1/2/0", "1/0/2", "0/0/1", "+1/0/0", "1/0/-1"),
    *("1/..%2f/0", "..%2f..%2fetc/0/0", "%00/0/0", "1/0%00/0", "0x1/0/0", "1e1/0/0", "01/0/0"),
    *("1/01/0", "1/0/0.0", "1/0/0.mvt", "1/%201/0", "%D9%A1/0/0", "1/%EF%BC%91/0", "1/0/%C2%B2"),
    *(f"1/{'9' * 10_000}/0", f"{'1' * 5000}/0/0", "1/0", "1/0/0/0", "a/b/c"),
]


async def test_invalid_tile_coordinates_are_not_found(wind: Client) -> None:
    for path in NO_TILES:
        answer = await wind.code("GET", f"/api/map/basemap/{path}")
        assert answer == (404, "not_found"), path


async def test_overview_contains_extents(wind: Client) -> None:
    answer = (await wind.get("/api/map")).json()
    basemap = answer["basemap"]
    assert (basemap["w"], basemap["n"], basemap["minZoom"], basemap["maxZoom"]) == (-180, 85, 0, 1)
    assert (basemap["tiles"], basemap["layers"], basemap["attribution"]) == ("mvt", ["earth"], "us")


async def test_whole_archive_is_served(wind: Client, tmp_path: Path) -> None:
    data = (tmp_path / "maps" / "basemap.pmtiles").read_bytes()
    answer = await wind.get(FILE)
    assert (answer.status_code, answer.content) == (200, data)
    assert answer.headers["accept-ranges"] == "bytes"
    assert answer.headers["content-length"] == str(len(data))
    assert "content-encoding" not in answer.headers
    assert answer.headers["etag"].startswith('"')
    head = await wind.head(FILE, headers={"range": "bytes=0-9"})
    assert (head.status_code, head.headers["content-length"]) == (206, "10")


async def test_byte_ranges_are_served(
    wind: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "_CHUNK", 100)
    data = (tmp_path / "maps" / "basemap.pmtiles").read_bytes()
    size = len(data)
    for text, expected in {
        "bytes=0-6": data[:7],
        "bytes=0-": data,
        "bytes=5-": data[5:],
        "bytes=-1": data[-1:],
        f"bytes=-{size * 2}": data,
        f"bytes=10-{10**17}": data[10:],
        f"bytes={size - 1}-{size - 1}": data[-1:],
    }.items():
        answer = await wind.get(FILE, headers={"range": text})
        assert (answer.status_code, answer.content) == (206, expected), text
        start = size - len(expected) if expected != data[:7] else 0
        found = f"bytes {start}-{start + len(expected) - 1}/{size}"
        assert answer.headers["content-range"] == found
    for text in ("bytes=-", "bytes=5-2", "bytes=a-b", "items=0-1", "bytes=--1", "bytes = 0-1"):
        answer = await wind.get(FILE, headers={"range": text})
        assert (answer.status_code, answer.content) == (200, data), text


async def test_unsatisfiable_ranges_are_rejected(wind: Client, tmp_path: Path) -> None:
    size = (tmp_path / "maps" / "basemap.pmtiles").stat().st_size
    many = "bytes=" + ",".join(f"{at}-{at}" for at in range(1000))
    for text in (f"bytes={size}-", f"bytes={10**17}-", "bytes=-0", "bytes=0-1,0-1", many):
        answer = await wind.get(FILE, headers={"range": text})
        assert (answer.status_code, answer.json()) == (416, {"code": "range_not_satisfiable"})
        assert answer.headers["content-range"] == f"bytes */{size}"


async def test_range_of_another_version_returns_whole_file(wind: Client) -> None:
    first = await wind.get(FILE, headers={"range": "bytes=0-6"})
    for found in (first.headers["etag"], first.headers["last-modified"]):
        answer = await wind.get(FILE, headers={"range": "bytes=0-6", "if-range": found})
        assert answer.status_code == 206
    for found in ('"old"', f"W/{first.headers['etag']}", "Thu, 01 Jan 1970 00:00:00 GMT"):
        answer = await wind.get(FILE, headers={"range": "bytes=0-6", "if-range": found})
        assert answer.status_code == 200
    known = {"if-none-match": first.headers["etag"], "range": "bytes=0-6"}
    assert (await wind.get(FILE, headers=known)).status_code == 304


async def test_files_can_be_added_and_replaced_at_any_time(wind: Client, tmp_path: Path) -> None:
    before = (await wind.get(FILE)).headers["etag"]
    other = archive(tmp_path, "other.pmtiles", {(0, 0, 0): b"another world"})
    other.replace(tmp_path / "maps" / "basemap.pmtiles")
    assert (await wind.get("/api/map/basemap/0/0/0")).content == b"another world"
    assert (await wind.get(FILE)).headers["etag"] != before


async def test_invalid_archives_are_ignored(tmp_path: Path) -> None:
    good = archive(tmp_path / "maps", "terrain.pmtiles", {(0, 0, 0): os.urandom(500)})
    data = good.read_bytes()
    built_in = (BUILT_IN / RELIEF).stat().st_size
    async with quiet(tmp_path) as client:
        # The last one is still being copied.
        for bad in (b"", b"hello", data[:127], b"PMTiles\x04" + data[8:], data[:-1]):
            good.write_bytes(bad)
            head = await client.head("/api/map/terrain.pmtiles")
            assert head.headers["content-length"] == str(built_in)
            assert (await client.get("/api/map")).json()["relief"][
                "attribution"
            ] == "Terrain Tiles: USGS, NOAA and others"


async def test_damaged_tile_is_not_found(wind: Client, tmp_path: Path) -> None:
    path = tmp_path / "maps" / "basemap.pmtiles"
    data = bytearray(path.read_bytes())
    length = int.from_bytes(data[16:24], "little")
    data[127 : 127 + length] = b"x" * length
    path.write_bytes(data)
    assert (await wind.get("/api/map/basemap/0/0/0")).status_code in (200, 204, 404)
