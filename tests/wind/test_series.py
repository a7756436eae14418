"""The series of all models are written at once, and equal those of each model alone."""

from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from quartet.wind.forecasts.series import series_at
from quartet.wind.grid.arrays import Int16s
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.grid.forecast import Forecast
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.layout import CHANNELS, NO_DATA, PRECIPITATION_UNIT, SCALE, WIND_CHANNELS
from tests.wind.runs import finished_run

HOUR = 3600
EUROPE = Grid(0.0, 45.0, 1.0, 1.0, 16, 11)
WORLD = Grid.world(10.0)
RAIN = CHANNELS.index("precipitation")
GUST = CHANNELS.index("gust")


def weather(grid: Grid, steps: int, seed: int, *, channels: int = len(CHANNELS)) -> Int16s:
    """Return numbers of which one of fifty is missing, with rain that adds up."""
    chance = np.random.default_rng(seed)
    numbers = chance.integers(-3000, 3000, (steps, channels, grid.points)).astype(np.int16)
    numbers[:, GUST] = chance.integers(4500, 6000, (steps, grid.points))
    if channels > RAIN:
        numbers[:, RAIN] = chance.integers(0, 100, (steps, grid.points)).cumsum(axis=0)
    numbers[chance.random(numbers.shape) < 0.02] = NO_DATA
    return numbers


@pytest.fixture(scope="module")
def forecasts(tmp_path_factory: pytest.TempPathFactory) -> list[Forecast]:
    """Joined runs, a run without step 0, one without gusts, and one with the wind only."""
    folder: Path = tmp_path_factory.mktemp("grids")
    everything = partial(finished_run, folder, channels=CHANNELS)
    everything(EUROPE, weather(EUROPE, 5, 1), model="icon-eu", run=6 * HOUR)
    everything(EUROPE, weather(EUROPE, 30, 2), model="icon-eu")
    steps = (*range(1, 10), 12, 15, 18)
    everything(EUROPE, weather(EUROPE, 12, 3), model="icon-d2-ruc", steps=steps)
    calm = weather(WORLD, 9, 4)
    calm[:, GUST] = NO_DATA
    everything(WORLD, calm, model="aifs", steps=tuple(range(0, 54, 6)))
    wind = weather(WORLD, 17, 5, channels=len(WIND_CHANNELS))
    finished_run(folder, WORLD, wind, model="gfs")
    return list(Catalogue(folder).forecasts.values())


def series(lat: float, lon: float, forecasts: list[Forecast]) -> list[dict[str, Any]]:
    found = series_at(lat, lon, forecasts)
    return [] if found is None else msgspec.json.decode(bytes(found.json))


@pytest.mark.parametrize("seed", range(5))
def test_series_of_all_models_equal_those_of_each_alone(
    forecasts: list[Forecast], seed: int
) -> None:
    chance = np.random.default_rng(seed)
    for _ in range(20):
        lat, lon = chance.uniform(44, 56), chance.uniform(-1, 16)
        alone = [each for one in forecasts for each in series(lat, lon, [one])]
        assert series(lat, lon, forecasts) == alone


def test_precipitation_is_counted_from_the_previous_step_of_the_same_run(
    forecasts: list[Forecast],
) -> None:
    eu = next(each for each in forecasts if each.model == "icon-eu")
    for point in range(EUROPE.points):
        lat, lon = 45.0 + point // EUROPE.nx, float(point % EUROPE.nx)
        (found,) = series(lat, lon, [eu])
        expected = []
        for part in eu.parts:
            sums = np.where((cell := part.run.cell(point)[RAIN]) == NO_DATA, np.nan, cell)
            amounts = np.diff(sums, prepend=np.nan) * SCALE * PRECIPITATION_UNIT
            expected += amounts[part.first :].tolist()
        given = [np.nan if each is None else each for each in found["precipitation"]]
        np.testing.assert_allclose(given, np.maximum(expected, 0), atol=0.051)


def test_series_without_any_gust_says_so(forecasts: list[Forecast]) -> None:
    (aifs,) = [each for each in series(50, 5, forecasts) if each["model"] == "aifs"]
    assert aifs["gust"] == [None] * 9 and aifs["notice"] == "gust_missing"
