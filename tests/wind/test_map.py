"""The endpoints of the wind map."""

import asyncio
import io
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from quartet.wind.grid.arrays import Int16s
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.layout import NO_DATA
from quartet.wind.map import textures
from quartet.wind.map.service import WindMap
from tests.client import Client
from tests.wind.quiet import quiet
from tests.wind.runs import finished_run

pytestmark = pytest.mark.anyio

EUROPE = Grid(0.0, 45.0, 0.5, 0.5, 31, 21)
WORLD = Grid.world(5.0)
RUN = 1_763_164_800
PNG = f"/api/map/icon-eu/{RUN}/3.png"
PIECE = f"/api/map/icon/{RUN}/0/0_45_45_90"


def weather(grid: Grid, seed: int) -> Int16s:
    numbers = np.random.default_rng(seed).integers(-3000, 3000, (2, 3, grid.points), np.int16)
    numbers[:, 2] = 5000
    return numbers


@pytest.fixture
async def wind(tmp_path: Path) -> AsyncIterator[Client]:
    europe = weather(EUROPE, 1)
    europe[:, :, 0] = NO_DATA
    finished_run(tmp_path / "grids", EUROPE, europe, run=RUN, steps=(0, 3))
    finished_run(tmp_path / "grids", WORLD, weather(WORLD, 2), model="icon", run=RUN)
    async with quiet(tmp_path) as client:
        yield client


async def texture(client: Client, path: str) -> tuple[NDArray[np.uint8], dict[str, Any]]:
    png, meta = await client.get(f"{path}.png"), await client.get(f"{path}.json")
    assert png.headers["content-type"] == "image/png"
    assert meta.headers["content-type"] == "application/json"
    return np.asarray(Image.open(io.BytesIO(png.content))), meta.json()


def knots(pixels: NDArray[np.uint8], meta: dict[str, Any], name: str) -> NDArray[np.float64]:
    channel = meta["channels"][name]
    at = ("u", "v", "gust").index(name)
    return np.asarray(channel["offset"] + channel["scale"] * pixels[..., at].astype(np.float64))


async def test_overview_has_every_hour(wind: Client) -> None:
    answer = (await wind.get("/api/map")).json()
    eu, icon = answer["models"]
    assert (eu["id"], eu["area"]) == ("icon-eu", {"w": 0, "s": 45, "e": 15, "n": 55})
    assert eu["hours"][1] == {"run": RUN, "step": 3, "time": RUN + 3 * 3600}
    assert "pieces" not in eu
    assert (icon["id"], len(icon["pieces"])) == ("icon", 32)
    assert icon["pieces"][0] == {"w": -180, "s": -90, "e": -135, "n": -45}
    assert answer["relief"]["encoding"] == "terrarium"


async def test_metadata_describes_the_texture(wind: Client) -> None:
    pixels, meta = await texture(wind, PNG.removesuffix(".png"))
    assert pixels.shape == (21, 31, 4) == (meta["height"], meta["width"], 4)
    assert meta["bounds"] == {"w": -0.25, "s": 44.75, "e": 15.25, "n": 55.25}
    assert (meta["boundsOf"], meta["unit"], meta["noData"]) == ("edges", "kn", "alpha0")
    assert (meta["time"], meta["wraps"]) == (RUN + 3 * 3600, False)
    # The south-western corner has no data, and it is at the bottom.
    assert pixels[-1, 0, 3] == 0 and (pixels[:-1, 1:, 3] == 255).all()


async def test_map_and_series_have_the_same_wind(wind: Client) -> None:
    pixels, meta = await texture(wind, PNG.removesuffix(".png"))
    level = max(meta["channels"][name]["scale"] for name in ("u", "v"))
    for lat, lon in ((45.5, 0.5), (50, 7.5), (55, 15), (52.5, 0)):
        row, column = round((55 - lat) / 0.5), round(lon / 0.5)
        u, v, gust = (knots(pixels, meta, name)[row, column] for name in ("u", "v", "gust"))
        answer = (await wind.get(f"/api/map/series?lat={lat}&lon={lon}")).json()
        assert (answer["lat"], answer["lon"]) == (lat, lon)
        eu, icon = answer["models"]
        assert (eu["model"], icon["model"]) == ("icon-eu", "icon")
        at = eu["times"].index(meta["time"])
        assert abs(np.hypot(u, v) - eu["wind"][at]) <= level * 0.75 + 0.05
        assert abs(gust - eu["gust"][at]) <= 0.05


async def test_piece_of_the_world_equals_that_part_of_the_whole(wind: Client) -> None:
    whole, _ = await texture(wind, f"/api/map/icon/{RUN}/0")
    piece, meta = await texture(wind, PIECE)
    assert meta["bounds"] == {"w": -2.5, "s": 42.5, "e": 47.5, "n": 92.5}
    assert piece.shape == (10, 10, 4)
    assert np.array_equal(piece[..., 3], whole[:10, 36:46, 3])


async def test_textures_are_immutable(wind: Client) -> None:
    first = await wind.get(PNG)
    assert first.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert "set-cookie" not in first.headers
    tag = first.headers["etag"]
    for header in (tag, f"W/{tag}", f'"x", {tag}', "*"):
        again = await wind.get(PNG, headers={"if-none-match": header})
        assert (again.status_code, again.content) == (304, b"")
    assert (await wind.get(PNG, headers={"if-none-match": '"x"'})).status_code == 200
    head = await wind.head(PNG)
    assert head.headers["content-length"] == str(len(first.content))


async def test_texture_in_memory_is_sent_without_the_route(wind: Client) -> None:
    def at_once(path: str, query: bytes = b"", **headers: bytes) -> tuple[bytes, bytes] | None:
        scope = {"method": "GET", "path": path, "query_string": query}
        scope["headers"] = [
            (name.replace("_", "-").encode(), value) for name, value in headers.items()
        ]
        return wind.started.app.immediate_response(scope)

    assert at_once(PNG) is None
    usual = await wind.get(PNG)
    head, body = at_once(PNG) or (b"", b"")
    lines = dict(line.split(": ", 1) for line in head.decode().strip().split("\r\n"))
    assert body == usual.content
    assert lines.pop("x-request-id") != usual.headers.pop("x-request-id")
    assert lines == {name: value for name, value in usual.headers.items() if name != "date"}
    # Everything else takes the normal route.
    assert at_once(PNG, if_none_match=lines["etag"].encode()) is None
    assert at_once(PNG, b"layer=gust") is None
    assert at_once(PNG.replace("3.png", "0.png")) is None
    wind_map: WindMap = wind.started.built.dependencies["wind_map"]  # type: ignore[assignment]
    assert wind_map._catalogue.remove("icon-eu", RUN)
    assert at_once(PNG) is None


NOT_ON_OFFER = [
    f"icon-eu/{RUN}/1.png",
    f"icon-eu/{RUN}/03.png",
    f"icon-eu/{RUN}/3",
    f"icon-eu/{RUN}/3.gif",
    f"icon-eu/{RUN}/3.png.png",
    f"icon-eu/{RUN}/-0.png",
    f"icon-eu/{RUN}/%D9%A3.png",
    f"icon-eu/{RUN}/0x3.png",
    f"icon-eu/{RUN}/3%00.png",
    f"icon-eu/{RUN}/{'9' * 10_000}.png",
    f"icon-eu/+{RUN}/3.png",
    f"icon-eu/{RUN}.0/3.png",
    f"icon-eu/{RUN - 3600}/3.png",
    f"ICON-EU/{RUN}/3.png",
    f"..%2f..%2fgrids%2ficon-eu/{RUN}/3.png",
    f"icon-eu/..%2f{RUN}/3.png",
    "icon-eu/newest/3.png",
    f"gfs/{RUN}/0.png",
    f"icon-eu/{RUN}/3/0_45_45_90.png",
    f"icon/{RUN}/0/170_0_-170_45.png",
    f"icon/{RUN}/0/0_0_0_0.png",
    f"icon/{RUN}/0/-180_-90_180_90.png",
    f"icon/{RUN}/0/0.{'0' * 40}_45_45_90.png",
    f"icon/{RUN}/0/1_46_46_91.png",
    f"icon/{RUN}/0/0_45_45.png",
    f"icon/{RUN}/0/.png",
]


async def test_unknown_texture_is_not_found(wind: Client) -> None:
    for path in NOT_ON_OFFER:
        assert await wind.code("GET", f"/api/map/{path}") == (404, "not_found"), path


async def test_series_requires_a_place(wind: Client) -> None:
    for query in ("", "lat=NaN&lon=1", "lat=1&lat=1&lon=1", "lat=91&lon=0"):
        answer = await wind.code("GET", f"/api/map/series?{query}")
        assert answer == (400, "invalid_coordinates")


async def test_map_without_measurements_has_no_pins(wind: Client) -> None:
    assert (await wind.get("/api/map/stations")).json() == {"stations": []}
    assert (await wind.get("/api/map/gauges")).json() == {"gauges": []}


async def test_concurrent_requests_share_one_texture(
    wind: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    make = textures.texture_of

    def counted(*wanted: Any) -> textures.Texture:
        made.append(wanted)
        return make(*wanted)

    monkeypatch.setattr(textures, "texture_of", counted)
    answers = await asyncio.gather(*(wind.get(PNG) for _ in range(20)))
    assert len({answer.content for answer in answers}) == len(made) == 1


async def test_texture_cache_is_bounded(wind: Client) -> None:
    full: WindMap = wind.started.built.dependencies["wind_map"]  # type: ignore[assignment]
    small = WindMap(full._catalogue, full._forecasts, full._maps, cache_bytes=3000)
    for step in ("0", "3"):
        await small.texture(small.wanted("icon-eu", str(RUN), step))
    assert 0 < small._held <= 3000 and len(small._ready) == 1
    # Larger than the whole cache: made, but not kept.
    await small.texture(small.wanted("icon", str(RUN), "0"))
    assert small._held == 0 and not small._ready


async def test_cancelled_request_does_not_disturb_others(wind: Client) -> None:
    wind_map: WindMap = wind.started.built.dependencies["wind_map"]  # type: ignore[assignment]
    wanted = wind_map.wanted("icon-eu", str(RUN), "3")
    first = asyncio.create_task(wind_map.texture(wanted))
    second = asyncio.create_task(wind_map.texture(wanted))
    await asyncio.sleep(0)
    first.cancel()
    assert (await second).png.startswith(b"\x89PNG")
    assert not wind_map._making
