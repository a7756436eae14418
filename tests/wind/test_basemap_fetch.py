"""Extracting an area from an imitation of the server of Protomaps."""

import calendar
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from quartet.kernel.errors import AppError
from quartet.kernel.outbound import OutboundClient
from quartet.wind.basemap.archive import Archive, FileVersion
from quartet.wind.basemap.archive_writer import ArchiveInfo, write_archive
from quartet.wind.basemap.extract import Box
from quartet.wind.basemap.pmtiles import decompress
from quartet.wind.basemap.protomaps import fetch_area, parse_area
from tests.wind.upstream import Provider, provider

pytestmark = pytest.mark.anyio

NOW = calendar.timegm((2026, 11, 17, 12, 0, 0))
INFO = ArchiveInfo((-180, -85, 180, 85), 0, 7, {"attribution": "us", "vector_layers": []})
BOX = Box(9.0, 53.0, 12.0, 55.0)


def content(z: int, x: int, y: int) -> bytes:
    # The sea is the same everywhere.
    return b"sea" if (x + y) % 3 == 0 else f"{z}/{x}/{y} ".encode() + bytes(x * y % 401)


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Provider]:
    folder = tmp_path / "planets"
    folder.mkdir()
    tiles = {
        (z, x, y): content(z, x, y) for z in range(8) for x in range(1 << z) for y in range(1 << z)
    }
    (folder / "20261115.pmtiles").write_bytes(write_archive(tiles, INFO))
    async with provider(folder) as served:
        yield served


async def test_area_is_extracted_from_the_newest_planet(served: Provider, tmp_path: Path) -> None:
    target = tmp_path / "maps" / "basemap.pmtiles"
    async with OutboundClient(allow_private=True) as outbound:
        found = await fetch_area(outbound, served.address, BOX, 6, target, lambda: NOW)
    stamp = FileVersion.of(target)
    assert stamp is not None
    archive = Archive(stamp)
    assert (archive.extent.min_zoom, archive.extent.max_zoom) == (0, 6)
    assert (archive.extent.w, archive.extent.n, archive.extent.attribution) == (9.0, 55.0, "us")
    # Kiel, and a place outside.
    for z, x, y in [(0, 0, 0), (3, 4, 2), (6, 33, 20)]:
        tile = archive.tile(z, x, y)
        assert tile is not None and decompress(tile.data, 2) == content(z, x, y)
    assert archive.tile(6, 10, 20) is None and archive.tile(7, 67, 40) is None
    planet = (served.folder / "20261115.pmtiles").stat().st_size
    assert found.tiles < 40 and found.fetched < planet / 2
    assert [path.name for path in target.parent.iterdir()] == ["basemap.pmtiles"]


async def test_failing_server_keeps_the_map(served: Provider, tmp_path: Path) -> None:
    target = tmp_path / "basemap.pmtiles"
    target.write_bytes(b"old")

    async def whole(_request: web.Request) -> web.StreamResponse:
        return web.Response(body=b"PMTiles" + bytes(1000))

    async with OutboundClient(allow_private=True) as outbound:
        served.faults["20261115.pmtiles"] = whole
        with pytest.raises(AppError):
            await fetch_area(outbound, served.address, BOX, 6, target, lambda: NOW)
        with pytest.raises(AppError, match="basemap_unavailable"):
            await fetch_area(outbound, f"{served.address}/no", BOX, 6, target, lambda: NOW)
    assert target.read_bytes() == b"old"


def test_area_is_a_box_or_a_country() -> None:
    assert parse_area("5.8, 47.2,15.1,55.1") == Box(5.8, 47.2, 15.1, 55.1)
    germany = parse_area("de")
    assert germany.west < 6.5 and germany.north > 54.8 and germany.east > 14.5
    for text in ("", "germany", "5,47,4,55", "5,47,15,95", "1,2,3", "zz"):
        with pytest.raises(AppError, match="invalid_area"):
            parse_area(text)
