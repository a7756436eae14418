"""Waves: from the providers to the answer and to alerts."""

import calendar
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import eccodes  # type: ignore[import-untyped]
import msgspec
import numpy as np
import pytest

from quartet.wind.alerts.evaluation import unchecked_in, windows_in
from quartet.wind.alerts.store_windows import WatchedAlert
from quartet.wind.alerts.types import Rule
from quartet.wind.demo.fields import ForecastFields
from quartet.wind.demo.land import is_sea
from quartet.wind.demo.waves import WIND_OF, wave_grid, waves_of
from quartet.wind.forecasts.waves import waves_json
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.grid.geometry import Area, Grid
from quartet.wind.grid.layout import NO_DATA, SWELL_CHANNELS
from quartet.wind.models.catalogue import WAVE_MODELS
from quartet.wind.models.gfs.models import GFS_WAVE
from quartet.wind.models.gfs.upstream import GfsUpstream
from tests.wind.conftest import Station
from tests.wind.quiet import quiet
from tests.wind.runs import finished_run
from tests.wind.upstream import HOUR, RUN, Provider, publish, short, write

SAMPLES = os.environ.get("QUARTET_WIND_SAMPLES")
SAMPLE = "grib-noaa/gfswave.t18z.atlocn.0p16.f001.grib2"
# In the middle of the Atlantic and of Asia.
SEA, LAND = (45.0, -30.0), (45.0, 90.0)
COAST = Grid.over(Area(8, 54, 11, 56), 1.0)


def gfs_path(run: int, step: int) -> str:
    assert isinstance(GFS_WAVE.upstream, GfsUpstream)
    return GFS_WAVE.upstream.path(run, step)


def waves_of_model(catalogue: Catalogue, model: str, lat: float, lon: float) -> dict[str, Any]:
    forecast = catalogue.forecast(model)
    assert forecast is not None
    (series,) = msgspec.json.decode(waves_json(lat, lon, [forecast]) or b"[{}]")
    return dict(series)


@pytest.mark.anyio
@pytest.mark.parametrize("model_id", [model.id for model in WAVE_MODELS])
async def test_waves_of_each_model_are_served_as_published(
    model_id: str, station: Station, served: Provider
) -> None:
    model = short(model_id, (0, 3, 6))
    publish(served.folder, model)
    await station.ingest_of(model).ingest_run(model, RUN)
    grid = wave_grid("tiny")
    row, column = (round(place / grid.step_x) for place in (SEA[0] + 90, SEA[1] + 180))
    fields = [
        waves_of(ForecastFields(WIND_OF[model_id], RUN, "tiny", grid).at(step), grid)
        for step in (0, 3, 6)
    ]
    series = waves_of_model(station.catalogue, model_id, *SEA)
    assert (series["lat"], series["lon"], series["run"]) == (*SEA, RUN)
    assert series["times"] == [RUN, RUN + 3 * HOUR, RUN + 6 * HOUR]

    def said(name: str) -> list[float]:
        return [float(getattr(each, name)[row, column]) for each in fields]

    assert series["height"] == pytest.approx(said("height"), abs=0.06)
    assert series["period"] == pytest.approx(said("period"), abs=0.6)
    assert series["direction"] == pytest.approx(said("direction"), abs=2.6)
    swell = ("swellHeight", "swellPeriod", "swellDirection")
    if model_id == "ecmwf-wave":
        # Its open data have no swell.
        assert not any(name in series for name in swell)
    else:
        assert series["swellHeight"] == pytest.approx(said("swell_height"), abs=0.06)
        assert (series["swellPeriod"], series["swellDirection"]) == ([11] * 3, [280] * 3)
    assert waves_of_model(station.catalogue, model_id, *LAND) == {}


@pytest.mark.anyio
async def test_late_swell_does_not_hold_up_waves(station: Station, served: Provider) -> None:
    model = short("gfs-wave", (0, 3))
    publish(served.folder, model)
    path = served.folder / "noaa" / f"{gfs_path(RUN, 3)}.idx"
    path.write_text(path.read_text().replace(":SW", ":NOT_SW"))
    await station.ingest_of(model).ingest_run(model, RUN)
    series = waves_of_model(station.catalogue, "gfs-wave", *SEA)
    assert None not in series["height"]
    assert series["swellPeriod"] == [11, None]


@pytest.mark.anyio
@pytest.mark.skipif(not SAMPLES, reason="QUARTET_WIND_SAMPLES names no folder with real files")
async def test_real_file_of_noaa_is_served(station: Station, served: Provider) -> None:
    """Compare with ecCodes alone, off the coast of Long Island and off Bermuda."""
    real = Path(SAMPLES or "") / SAMPLE
    run = calendar.timegm((2023, 8, 23, 18, 0, 0))
    model = replace(GFS_WAVE, steps=lambda _hour: (1,))
    path = served.folder / "noaa" / gfs_path(run, 1)
    write(path, real.read_bytes())
    write(path.with_name(f"{path.name}.idx"), Path(f"{real}.idx").read_bytes())
    station.clock.now = run + model.delay + model.span
    await station.ingest_of(model).ingest_run(model, run)
    truth = values_at(real, 32.0, 294.5)
    series = waves_of_model(station.catalogue, "gfs-wave", 32.02, -65.48)
    assert series["height"] == pytest.approx([truth["swh", 1]], abs=0.06)
    assert series["period"] == pytest.approx([truth["perpw", 1]], abs=0.6)
    assert series["direction"] == pytest.approx([truth["dirpw", 1]], abs=2.6)
    assert series["swellHeight"] == pytest.approx([truth["shts", 1]], abs=0.06)
    assert series["swellPeriod"] == pytest.approx([truth["mpts", 1]], abs=0.6)
    assert series["swellDirection"] == pytest.approx([truth["swdir", 1]], abs=2.6)
    # Long Beach is on land in the model; the nearest point at sea counts.
    beach = waves_of_model(station.catalogue, "gfs-wave", 40.58, -73.65)
    assert 0 < beach["height"][0] < 3 and beach["lat"] < 40.6
    # Lake Champlain is too far from the sea.
    assert waves_of_model(station.catalogue, "gfs-wave", 44.5, -73.3) == {}


def values_at(path: Path, lat: float, lon: float) -> dict[tuple[str, int], float]:
    found = {}
    with path.open("rb") as file:
        while (handle := eccodes.codes_grib_new_from_file(file)) is not None:
            (nearest,) = eccodes.codes_grib_find_nearest(handle, lat, lon)
            name = eccodes.codes_get_string(handle, "shortName")
            found[name, eccodes.codes_get_long(handle, "level")] = nearest.value
            eccodes.codes_release(handle)
    return found


def test_demo_has_waves_at_sea_only() -> None:
    grid = wave_grid("small")
    sea = is_sea(grid)

    def at(lat: float, lon: float) -> bool:
        return bool(sea[round((lat + 90) / grid.step_y), round((lon + 180) / grid.step_x)])

    assert [at(*SEA), at(*LAND), at(54.5, 10.5), at(51, 10), at(55.5, 5)] == [
        True,
        False,
        True,
        False,
        True,
    ]


def coast_run(folder: Path, run: int, height: float = 1.2) -> None:
    """Add a run of GFS-Wave in which only the eastern half of the grid is at sea."""
    numbers = np.full((41, len(SWELL_CHANNELS), COAST.points), NO_DATA, np.int16)
    east = np.arange(COAST.points) % COAST.nx >= 2
    numbers[:, 0, east], numbers[:, 1, east] = round(100 * height), 450
    # 270 degrees; the waves grow in the second day.
    numbers[:, 2, east] = 9000
    numbers[8:, 0, east] = round(200 * height)
    finished_run(
        folder / "grids",
        COAST,
        numbers,
        model="gfs-wave",
        run=run,
        steps=tuple(range(0, 123, 3)),
        channels=SWELL_CHANNELS,
    )


@pytest.mark.anyio
async def test_point_has_waves_of_the_nearest_sea_cell(tmp_path: Path) -> None:
    coast_run(tmp_path, RUN)
    async with quiet(tmp_path) as site:
        answer = (await site.get("/api/point?lat=54.1&lon=9.2")).json()
        (waves,) = answer["waves"]
        # The nearest point is on land.
        assert (waves["model"], waves["lat"], waves["lon"]) == ("gfs-wave", 54.0, 10.0)
        assert (waves["height"][0], waves["period"][0], waves["direction"][0]) == (1.2, 4, 270)
        assert waves["height"][8] == 2.4
        assert not any(name.startswith("swell") for name in waves)
        assert waves["notice"] == "outdated"
        inland = (await site.get("/api/point?lat=54.1&lon=8.2")).json()
        assert "waves" not in inland
        models = (await site.get("/api/models")).json()
        assert [each["id"] for each in models["waves"]] == ["ecmwf-wave", "gfs-wave"]
        assert "gfs-wave" not in [each["id"] for each in models["models"]]


def test_alert_has_a_condition_on_waves(tmp_path: Path) -> None:
    wind = np.zeros((49, 3, COAST.points), np.int16)
    wind[:, 0] = 1500
    finished_run(tmp_path / "grids", COAST, wind, run=RUN)
    coast_run(tmp_path, RUN)
    catalogue = Catalogue(tmp_path / "grids")
    run = catalogue.forecast("icon-eu")
    assert run is not None

    def watched(lon: float, wave_max: float | None) -> WatchedAlert:
        rule = Rule(10, None, None, (), 0, 24, 0b1111111, 48, 1, "UTC", wave_max=wave_max)
        return WatchedAlert(1, 54.1, lon, 0, False, (), rule)

    def windows(lon: float, wave_max: float | None) -> list[tuple[int, int]]:
        each = watched(lon, wave_max)
        found = windows_in(run, [each], RUN, catalogue.wave_forecasts)
        return [((one.start - RUN) // HOUR, (one.end - RUN) // HOUR) for one in found.get(1, [])]

    assert windows(9.2, None) == [(0, 48)]
    # Between the steps at 21 and 24 hours the waves grow from 1.2 to 2.4 metres.
    assert windows(9.2, 1.2) == [(0, 22)]
    assert windows(9.2, 1.6) == [(0, 23)]
    assert windows(9.2, 1.1) == []
    # Without waves the condition is not checked.
    assert windows(8.2, 1.1) == [(0, 48)]
    waves = catalogue.wave_forecasts
    assert unchecked_in(run, watched(8.2, 1.1), RUN, waves) == ["waves"]
    assert unchecked_in(run, watched(9.2, 1.1), RUN, waves) == []
