"""The demo weather is the same everywhere, and its best model is known."""

from pathlib import Path

import anyio
import numpy as np
import pytest
from litestar import Litestar

from quartet.kernel.startup import start
from quartet.wind.app import SERVICE
from quartet.wind.demo.errors import ERRORS, forecast_at
from quartet.wind.demo.inbox import DemoInbox
from quartet.wind.demo.measurements import demo_spots
from quartet.wind.demo.rider import PLACES
from quartet.wind.demo.weather import truth_at, truth_map
from quartet.wind.grid.arrays import Doubles
from quartet.wind.settings import WindSettings
from quartet.wind.stations.airports import airports
from quartet.wind.stations.builtin import builtin_stations
from quartet.wind.stations.merging import distance_km
from tests.client import client_at
from tests.wind.upstream import HOUR, RUN

LATS = np.array([54.3, 47.6, 43.3, -33.9])
LONS = np.array([10.1, 9.4, 3.5, 18.4])


def test_maps_and_single_places_have_the_same_wind() -> None:
    whole = truth_map(LATS, LONS, RUN)
    single = truth_at(LATS, LONS, RUN)
    for field, values in zip(whole, single, strict=True):
        assert np.allclose(np.diag(field), values)


def test_demo_wind_is_plausible_and_changes() -> None:
    speeds = [speed(truth_at(LATS, LONS, RUN + hour * HOUR)[:2]) for hour in range(240)]
    assert 2 < np.mean(speeds) < 12 and np.max(speeds) < 40
    assert np.std(speeds, axis=0).min() > 1
    assert np.array_equal(speeds[7], speed(truth_at(LATS, LONS, RUN + 7 * HOUR)[:2]))


@pytest.mark.parametrize("lead", [6, pytest.param(30, marks=pytest.mark.nightly), 60])
def test_models_are_ranked_in_the_order_of_their_errors(lead: int) -> None:
    misses = []
    for model in ERRORS:
        miss = []
        for hour in range(0, 24 * 30, 5):
            time = RUN + hour * HOUR
            said = forecast_at(model, time - lead * HOUR, LATS, LONS, time)
            miss.append(np.abs(speed(said[:2]) - speed(truth_at(LATS, LONS, time)[:2])).mean())
        misses.append(np.mean(miss))
    assert misses == sorted(misses), "the order of ERRORS is the right ranking"


def speed(components: tuple[Doubles, Doubles]) -> Doubles:
    return np.asarray(np.hypot(*components))


@pytest.mark.nightly
@pytest.mark.anyio
async def test_demo_has_weather_without_network(tmp_path: Path) -> None:
    settings = WindSettings(data=tmp_path, models=("icon-d2", "ecmwf"), demo_size="tiny")
    started = start(SERVICE, settings, demo=True)
    app = started.app.app
    assert isinstance(app, Litestar)
    async with app.lifespan(), client_at(started) as client:
        with anyio.fail_after(180):
            while None in (await client.get("/api/health")).json()["dataAge"].values():
                await anyio.sleep(0.1)
        answer = (await client.get("/api/point?lat=54.3&lon=10.1")).json()
    for series in answer["forecasts"]:
        times = np.array(series["times"])
        said = [
            speed(forecast_at(series["model"], series["run"], LATS[:1], LONS[:1], time)[:2])[0]
            for time in times
        ]
        # The series equals the forecast of the demo's model, except for the coarse grid of the
        # test.
        miss = np.abs(np.array(said) / 0.514444 - series["wind"]).mean()
        assert miss < 4, series["model"]


def test_spots_of_the_demo_have_a_measuring_station_nearby() -> None:
    spots = demo_spots([*builtin_stations(), *airports()])
    for place in PLACES:
        nearest = min(
            distance_km(place.lat, place.lon, each.lat, each.lon) for each in spots.stations
        )
        assert nearest < 30, place.name


@pytest.mark.anyio
async def test_inbox_of_the_demo_keeps_the_latest_alerts(tmp_path: Path) -> None:
    inbox = DemoInbox(tmp_path / "inbox")
    for number in range(103):
        await inbox.send("demo@example.org", f"Wind {number}", "14 kn", unsubscribe="http://x/")
    mails = sorted((tmp_path / "inbox").iterdir())
    assert len(mails) == 100
    assert b"Subject: Wind 102" in mails[-1].read_bytes() and b"14 kn" in mails[-1].read_bytes()
