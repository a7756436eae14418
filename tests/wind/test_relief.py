"""Relief tiles: the bundled archive and custom ones."""

from pathlib import Path

import numpy as np
import pytest

from quartet.wind.basemap.archive_writer import ArchiveInfo, write_archive
from quartet.wind.basemap.image_size import width_of
from quartet.wind.basemap.png import write_png
from quartet.wind.basemap.relief import TILE, build, sampled, terrarium
from tests.wind.pmtiles_files import archive
from tests.wind.quiet import quiet

pytestmark = pytest.mark.anyio

EVERYWHERE = (-180.0, -85.0, 180.0, 85.0)


def hills(size: int) -> bytes:
    return write_png(np.full((size, size, 3), 128, np.uint8))


def own_relief(folder: Path, tile: bytes, **metadata: object) -> None:
    about = ArchiveInfo(EVERYWHERE, 0, 0, {"attribution": "us", **metadata}, "png")
    (folder / "maps").mkdir()
    (folder / "maps" / "terrain.pmtiles").write_bytes(write_archive({(0, 0, 0): tile}, about))


async def test_bundled_relief_is_served(tmp_path: Path) -> None:
    async with quiet(tmp_path) as client:
        relief = (await client.get("/api/map")).json()["relief"]
        assert (relief["tiles"], relief["encoding"], relief["tileSize"]) == (
            "png",
            "terrarium",
            256,
        )
        assert (relief["minZoom"], relief["maxZoom"]) == (0, 3)
        assert "USGS" in relief["attribution"]
        tile = await client.get("/api/map/terrain/3/4/2")
        assert tile.headers["content-type"] == "image/png" and width_of(tile.content) == 256
        known = {"if-none-match": tile.headers["etag"]}
        assert (await client.get("/api/map/terrain/3/4/2", headers=known)).status_code == 304
        assert (await client.get("/api/map/terrain/4/0/0")).status_code == 204
        for path in ("1/2/0", "-1/0/0", "0/0/..%2f", "01/0/0", "1e1/0/0"):
            answer = await client.code("GET", f"/api/map/terrain/{path}")
            assert answer == (404, "not_found"), path
        part = await client.get("/api/map/terrain.pmtiles", headers={"range": "bytes=0-6"})
        assert (part.status_code, part.content) == (206, b"PMTiles")


@pytest.mark.parametrize(
    ("metadata", "encoding"),
    [({}, "terrarium"), ({"encoding": "mapbox"}, "mapbox"), ({"encoding": "odd"}, "terrarium")],
)
async def test_custom_relief_declares_its_encoding(
    tmp_path: Path, metadata: dict[str, object], encoding: str
) -> None:
    own_relief(tmp_path, hills(512), **metadata)
    async with quiet(tmp_path) as client:
        relief = (await client.get("/api/map")).json()["relief"]
        assert (relief["encoding"], relief["tileSize"], relief["maxZoom"]) == (encoding, 512, 0)
        assert (await client.get("/api/map/terrain/0/0/0")).content == hills(512)


async def test_archive_without_images_is_not_a_relief(tmp_path: Path) -> None:
    archive(tmp_path / "maps", "terrain.pmtiles", {(0, 0, 0): b"lines"})
    async with quiet(tmp_path) as client:
        assert (await client.get("/api/map")).json()["relief"] is None
        assert (await client.get("/api/map/terrain/0/0/0")).status_code == 204


def test_image_width() -> None:
    riff = b"RIFF\0\0\0\0WEBP"
    lossless = riff + b"VP8L" + bytes(4) + b"\x2f" + (511).to_bytes(4, "little") + bytes(9)
    lossy = riff + b"VP8 " + bytes(10) + (256).to_bytes(2, "little") + bytes(9)
    extended = riff + b"VP8X" + bytes(8) + (1023).to_bytes(3, "little") + bytes(9)
    assert [width_of(each) for each in (lossless, lossy, extended)] == [512, 256, 1024]
    assert [width_of(each) for each in (b"", b"\x89PNG", riff, b"hills" * 20)] == [None] * 4


def test_heights_are_at_their_coordinates(tmp_path: Path) -> None:
    stored = np.full((2160, 4320), 255, np.uint8)
    # 2350 metres between 0 and 45 degrees north and east.
    stored[540:1080, 2160:2700] = 100
    np.save(tmp_path / "altitude.npy", stored)
    data = build(tmp_path / "altitude.npy", max_zoom=0)
    assert data.startswith(b"PMTiles") and len(data) < 10_000
    heights = np.zeros((2160, 4320), np.float32)
    heights[540:1080, 2160:2700] = 2350
    tile = sampled(heights, 1, 1, 0)
    assert tile[TILE - 20, 20] == 2350 and tile[0, 20] == 0 and tile[TILE - 20, TILE - 1] == 0
    assert width_of(terrarium(tile)) == TILE
