"""Textures of gusts, temperature, precipitation, clouds, pressure and waves."""

import io
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from quartet.wind.app import SERVICE
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.layout import CHANNELS, NO_DATA, WAVE_CHANNELS
from tests.client import Client, client_of
from tests.wind.runs import finished_run

EUROPE = Grid(0.0, 45.0, 1.0, 1.0, 11, 8)
STEPS = (0, 1, 4)


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Client]:
    numbers = np.zeros((len(STEPS), len(CHANNELS), EUROPE.points), np.int16)
    random = np.random.default_rng(1)
    for channel, low, high in (
        ("temperature", -2000, 3000),
        ("cloud", 0, 10000),
        ("pressure", -3000, 4000),
    ):
        at = CHANNELS.index(channel)
        numbers[:, at] = random.integers(low, high, (len(STEPS), EUROPE.points))
    # Twentieths of a millimetre since the start: 1 mm in the first hour, then 6 mm in three.
    numbers[:, CHANNELS.index("precipitation")] = np.array([0, 20, 140])[:, None]
    numbers[1, 3, 5] = NO_DATA
    grids = tmp_path / "grids"
    finished_run(grids, EUROPE, numbers, run=3600, steps=STEPS, channels=CHANNELS)
    waves = np.full((1, 3, EUROPE.points), NO_DATA, np.int16)
    # The rest has no waves, because it is land.
    waves[0, 0, np.arange(EUROPE.points) % EUROPE.nx < 4] = 150
    finished_run(grids, EUROPE, waves, model="ecmwf-wave", run=3600, channels=WAVE_CHANNELS)
    wind = np.zeros((1, 3, EUROPE.points), np.int16)
    wind[:, 2] = NO_DATA
    finished_run(grids, EUROPE, wind, model="arome", run=3600)
    np.save(tmp_path / "numbers.npy", numbers)
    async with client_of(SERVICE, tmp_path) as client:
        yield client


async def layer_of(
    site: Client, step: int, layer: str, model: str = "icon-eu"
) -> NDArray[np.float64]:
    """Read a texture as its description says; the first row is the southernmost."""
    path = f"/api/map/{model}/3600/{step}"
    meta = (await site.get(f"{path}.json?layer={layer}")).json()
    png = (await site.get(f"{path}.png?layer={layer}")).content
    pixels = np.array(Image.open(io.BytesIO(png))).astype(float)
    assert pixels.shape == (EUROPE.ny, EUROPE.nx, 4) and meta["layer"] == layer
    values = meta["channel"]["offset"] + meta["channel"]["scale"] * pixels[..., 0]
    return np.where(pixels[..., 3] == 255, values, np.nan)[::-1]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("layer", "base", "exact"),
    [("temperature", 0, 0.11), ("cloud", 0, 0.21), ("pressure", 1000, 0.15)],
)
async def test_layer_has_the_stored_values(
    layer: str, base: float, exact: float, site: Client, tmp_path: Path
) -> None:
    stored = np.load(tmp_path / "numbers.npy")[1, CHANNELS.index(layer)].astype(float)
    stored[stored == NO_DATA] = np.nan
    found = await layer_of(site, 1, layer)
    expected = stored.reshape(EUROPE.ny, EUROPE.nx) / 100 + base
    assert np.allclose(found, expected, atol=exact, equal_nan=True)


@pytest.mark.anyio
async def test_precipitation_is_per_hour_before_a_step(site: Client) -> None:
    assert np.isnan(await layer_of(site, 0, "precipitation")).all()
    assert np.allclose(await layer_of(site, 1, "precipitation"), 1.0, atol=0.02)
    assert np.allclose(await layer_of(site, 4, "precipitation"), 2.0, atol=0.02)


@pytest.mark.anyio
async def test_layers_are_offered_if_the_run_has_them(site: Client) -> None:
    models = {each["id"]: each for each in (await site.get("/api/map")).json()["models"]}
    weather = ["temperature", "precipitation", "cloud", "pressure"]
    assert models["icon-eu"]["layers"] == ["gust", *weather]
    # It has a channel of gusts without any.
    assert models["arome"]["layers"] == []
    for path in (
        "arome/3600/0.png?layer=cloud",
        "arome/3600/0.png?layer=gust",
        "icon-eu/3600/1.png?layer=waves",
        "ecmwf-wave/3600/0.png",
    ):
        assert await site.code("GET", f"/api/map/{path}") == (404, "not_found")
    wind, cloud = [
        (await site.get(f"/api/map/icon-eu/3600/1.png{query}")).headers["etag"]
        for query in ("", "?layer=cloud")
    ]
    assert wind != cloud


@pytest.mark.anyio
async def test_waves_continue_below_the_land_of_the_map(site: Client) -> None:
    waves = (await site.get("/api/map")).json()["waves"]
    assert (waves["id"], waves["layers"]) == ("ecmwf-wave", ["waves"])
    found = await layer_of(site, 0, "waves", "ecmwf-wave")
    assert np.allclose(found[:, :6], 1.5, atol=0.01)
    assert np.isnan(found[:, 6:]).all()
