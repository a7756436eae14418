"""Points at sea or on land near a coast."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from quartet.wind.alerts.hourly import read_hourly
from quartet.wind.app import SERVICE
from quartet.wind.demo.land import is_sea
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.grid.geometry import Corners, Grid
from quartet.wind.grid.land import LandMask, write_land
from quartet.wind.grid.layout import land_path
from quartet.wind.grid.reading import StoredRun
from quartet.wind.outlook.hours import hours_at
from quartet.wind.places.extracts import save_extract
from quartet.wind.places.service import Places
from quartet.wind.places.water_spots import WaterSpots
from tests.client import Client, client_of
from tests.waiting import pauses
from tests.wind.conftest import Station
from tests.wind.runs import finished_run
from tests.wind.test_places import put_few_towns, spot_extract
from tests.wind.upstream import HOUR, RUN, Provider, publish, short

# Schilksee, of the included spots, is in the middle of a square of this grid.
COAST = Grid(9.68, 53.92, 1.0, 1.0, 4, 4)
SPOT = "lat=54.42&lon=10.18"
INLAND = "lat=54.42&lon=12.18"


def coast_run(folder: Path, run: int) -> StoredRun:
    """Sea with 20 knots in the two western columns, land with 10 knots in the others."""
    at_sea = np.tile([True, False, False, False], COAST.ny)
    numbers = np.zeros((3, 3, COAST.points), np.int16)
    numbers[:, 0] = np.where(at_sea, 2000, 1000)
    numbers[:, 2] = 2500
    write_land(
        land_path(folder, "icon-eu", COAST, None), np.where(at_sea, 0.2, 0.9).astype(np.float32)
    )
    return StoredRun(finished_run(folder, COAST, numbers, run=run))


@pytest.fixture
async def wind(tmp_path: Path) -> AsyncIterator[Client]:
    coast_run(tmp_path / "grids", 3600 * round(time.time() / 3600) - 7200)
    async with client_of(SERVICE, tmp_path) as client:
        yield client


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("query", "wind_there", "used"),
    [
        (SPOT, 20, "sea"),
        (f"{SPOT}&surface=auto", 20, "sea"),
        (f"{SPOT}&surface=land", 10, "land"),
        ("lat=54.43&lon=10.18", 15, "mixed"),
        ("lat=54.43&lon=10.18&surface=sea", 20, "sea"),
        (f"{INLAND}&surface=sea", 10, None),
    ],
)
async def test_point_uses_the_wanted_surface(
    query: str, wind_there: float, used: str | None, wind: Client
) -> None:
    answer = (await wind.get(f"/api/point?{query}")).json()
    (series,) = answer["forecasts"]
    assert series["wind"] == pytest.approx([wind_there] * 3)
    assert answer.get("surface") == used


@pytest.mark.anyio
async def test_forecasts_of_an_added_spot_are_those_at_sea(tmp_path: Path) -> None:
    put_few_towns(tmp_path / "places")
    save_extract(tmp_path / "places", spot_extract(tmp_path, "Strandweg", 54.43, 10.18))
    coast_run(tmp_path / "grids", 3600 * round(time.time() / 3600) - 7200)
    place = "lat=54.43&lon=10.18"
    async with client_of(SERVICE, tmp_path) as client:
        for pause in pauses():
            answer = (await client.get(f"/api/point?{place}")).json()
            if answer["surface"] != "mixed":
                break
            await asyncio.sleep(pause)
        assert answer["surface"] == "sea"
        assert answer["forecasts"][0]["wind"] == pytest.approx([20] * 3)
        best = (await client.get(f"/api/best?{place}")).json()
        assert best["wind"] == pytest.approx([20] * len(best["wind"])) and best["wind"]
        other = (await client.get(f"/api/point?{place}&surface=land")).json()
        assert other["surface"] == "land"


@pytest.mark.anyio
async def test_alerts_and_outlooks_of_an_added_spot_use_points_at_sea(tmp_path: Path) -> None:
    put_few_towns(tmp_path / "places")
    save_extract(tmp_path / "places", spot_extract(tmp_path, "Strandweg", 54.43, 10.18))
    water = WaterSpots()
    await Places(tmp_path / "places", water).refresh()
    coast_run(tmp_path / "grids", RUN)
    catalogue = Catalogue(tmp_path / "grids", water)
    (run,) = catalogue.runs("icon-eu")
    lats, lons = np.array([54.42, 54.43, 54.46]), np.full(3, 10.18)
    assert read_hourly(run, lats, lons, RUN, 1).wind.tolist() == [[200], [200], [150]]
    hours = hours_at(54.43, 10.18, catalogue.forecasts.values(), RUN, RUN + 2 * HOUR)
    assert hours is not None and hours.wind.tolist() == [20, 20]


@pytest.mark.anyio
async def test_unknown_surface_is_rejected(wind: Client) -> None:
    assert (await wind.get(f"/api/point?{SPOT}&surface=ice")).status_code == 400


def test_alert_of_a_spot_uses_points_at_sea(tmp_path: Path) -> None:
    run = coast_run(tmp_path, RUN)
    lats, lons = np.array([54.42, 54.43]), np.array([10.18, 10.18])
    assert read_hourly(run, lats, lons, RUN, 1).wind.tolist() == [[200], [150]]


def test_point_without_weight_or_value_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "grid.land"
    write_land(path, np.array([0.0, 1.0, 1.0, np.nan], np.float32))
    mask = LandMask(path, 4)
    corners = Corners((0, 1, 2, 1), (0.25, 0.25, 0.5, 0.0))
    assert mask.is_coast(corners.points)
    assert mask.restrict(corners, "sea") == Corners((0, 0, 0, 0), (1, 0, 0, 0))
    land = mask.restrict(corners, "land")
    assert land.points == (2, 1, 2, 2)
    assert land.weights == pytest.approx((0, 1 / 3, 2 / 3, 0))
    assert not mask.is_coast((1, 2, 2, 1)) and not mask.is_coast((0, 1, 2, 3))
    inland = Corners((1, 2, 1, 2), (0.5, 0.5, 0, 0))
    assert mask.restrict(inland, "sea") == inland
    with pytest.raises(ValueError, match="does not fit"):
        LandMask(path, 5)


@pytest.mark.anyio
@pytest.mark.parametrize(
    "model_id",
    [
        "icon-eu",
        "gfs",
        *(
            pytest.param(model, marks=pytest.mark.nightly)
            for model in ("icon", "aicon", "ecmwf", "aifs")
        ),
    ],
)
async def test_land_mask_is_fetched_once_for_a_grid(
    model_id: str, station: Station, served: Provider
) -> None:
    model = short(model_id, (0, 3))
    for run in (RUN, RUN + 24 * HOUR):
        publish(served.folder, model, run)
        station.clock.now = run + model.delay + model.span
        stored = await station.ingest_of(model).ingest_run(model, run)
        assert stored.land is not None
    (mask,) = station.catalogue.folder.glob("*.land")
    assert mask.stat().st_size == stored.header.points
    assert mask.stat().st_mtime < (stored.folder / "run.json").stat().st_mtime
    land = np.frombuffer(mask.read_bytes(), np.uint8)
    place = stored.header.grid
    if stored.mesh is None:
        assert np.array_equal(land.reshape(place.ny, place.nx) < 50, is_sea(place))
    assert 0.3 < (land < 50).mean() < 0.9
    files = [path for path in served.files if "FR_LAND" in path]
    assert len(files) == (1 if "icon" in model_id else 0)
    assert len(served.files) == len(set(served.files)), "nothing is fetched twice"


@pytest.mark.anyio
@pytest.mark.parametrize("model_id", ["icon-eu", "arome"])
async def test_run_without_a_land_mask_is_served(
    model_id: str, station: Station, served: Provider
) -> None:
    model = short(model_id, (0, 1))
    publish(served.folder, model)
    for path in served.folder.rglob("FR_LAND/**/*.grib2"):
        path.unlink()
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    assert stored.land is None
    assert stored.sample(54.3, 10.1, "sea") is not None
