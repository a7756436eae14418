"""The models, point and health endpoints."""

import time
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import numpy as np
import pytest

from quartet.kernel.errors import AppError, Problem
from quartet.wind.app import SERVICE
from quartet.wind.forecasts.series import series_at
from quartet.wind.forecasts.service import Forecasts
from quartet.wind.grid.arrays import Int16s
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.layout import NO_DATA
from quartet.wind.ingest.service import Ingest
from quartet.wind.ingest.types import Incoming
from quartet.wind.ingest.workers import Workers
from quartet.wind.models.catalogue import MODELS
from quartet.wind.ranking.service import Rankings
from tests.client import Client, client_of
from tests.wind.account_setup import service_of
from tests.wind.runs import finished_run

EUROPE = Grid(0.0, 45.0, 0.5, 0.5, 31, 31)
WORLD = Grid(-180.0, -90.0, 10.0, 10.0, 36, 19)
KIEL = "/api/point?lat=54.3&lon=10.1"


def steady(grid: Grid, steps: int, u: float, v: float, gust: float) -> Int16s:
    numbers = np.empty((steps, 3, grid.points), np.int16)
    numbers[:] = (np.array([u, v, gust]) * 100).astype(np.int16)[None, :, None]
    return numbers


@pytest.fixture
async def wind(tmp_path: Path) -> AsyncIterator[Client]:
    """A current fine model, an outdated coarse one, one without gusts and one with gaps."""
    now = 3600 * round(time.time() / 3600)
    grids = tmp_path / "grids"
    finished_run(grids, EUROPE, steady(EUROPE, 3, -10, 0, 14.5), model="icon-d2", run=now - 7200)
    finished_run(grids, WORLD, steady(WORLD, 3, 0, 5.5, 9), model="gfs", run=now - 100 * 3600)
    gaps = steady(EUROPE, 3, 3, 4, 7)
    gaps[0, 2] = NO_DATA
    finished_run(grids, EUROPE, gaps, model="icon-eu", run=now - 10800)
    none = steady(EUROPE, 2, 3, 4, 7)
    none[:, 2] = NO_DATA
    finished_run(grids, EUROPE, none, model="arome", run=now - 10800)
    async with client_of(SERVICE, tmp_path) as client:
        yield client


def short(wind: Client, query: str) -> bytes | None:
    scope = {"method": "GET", "path": "/api/point", "query_string": query.encode()}
    scope["headers"] = []
    answer = wind.started.app.immediate_response(scope)
    return answer and answer[1]


@pytest.mark.anyio
async def test_fast_path_and_route_give_the_same_point(wind: Client) -> None:
    long = await wind.get(KIEL)
    assert short(wind, "lat=54.3&lon=10.1") == long.content
    # Unusual queries are left to the route.
    for unusual in ("lon=10.1&lat=54.3", "lat=1.2.3&lon=1", "lat=91&lon=1"):
        assert short(wind, unusual) is None
    assert (await wind.head(KIEL)).status_code == (await wind.head(f"{KIEL}0")).status_code
    assert await wind.code("GET", "/api/point?lat=1.2.3&lon=1") == (400, "invalid_coordinates")


@pytest.mark.anyio
async def test_point_has_every_model_in_knots_and_degrees(wind: Client) -> None:
    answer = (await wind.get(KIEL)).json()
    assert (answer["lat"], answer["lon"], answer["nearest"]) == (54.3, 10.1, None)
    assert "notice" not in answer
    d2, arome, eu, gfs = answer["forecasts"]
    assert (d2["model"], d2["wind"], d2["gust"]) == ("icon-d2", [10.0] * 3, [14.5] * 3)
    assert d2["direction"] == [90] * 3 and "notice" not in d2
    assert [time - d2["run"] for time in d2["times"]] == [0, 3600, 7200]
    assert (arome["model"], arome["gust"], arome["notice"]) == (
        "arome",
        [None, None],
        "gust_missing",
    )
    assert (eu["wind"], eu["gust"], eu["notice"]) == ([5.0] * 3, [None, 7.0, 7.0], "gust_partial")
    assert (gfs["model"], gfs["direction"], gfs["notice"]) == ("gfs", [180] * 3, "outdated")


def test_gusts_are_half_knots_and_never_below_the_wind(tmp_path: Path) -> None:
    numbers = np.concatenate([steady(EUROPE, 1, 12.2, 0, gust) for gust in (12.2, 18.3, 18.4)])
    finished_run(tmp_path, EUROPE, numbers)
    found = series_at(54.3, 10.1, Catalogue(tmp_path).forecasts.values())
    assert found is not None
    (series,) = msgspec.json.decode(found.json)
    assert (series["wind"], series["gust"]) == ([12.2] * 3, [12.2, 18.5, 18.5])


@pytest.mark.anyio
async def test_place_outside_of_regional_models_has_world_models_only(wind: Client) -> None:
    answer = (await wind.get("/api/point?lat=-33.9&lon=180")).json()
    assert answer["lon"] == -180
    assert [each["model"] for each in answer["forecasts"]] == ["gfs"]


@pytest.mark.anyio
@pytest.mark.parametrize(
    "query", ["", "lat=1", "lat=NaN&lon=1", "lat=1&lat=1&lon=1", "lat=91&lon=0", "lat=%00&lon=0"]
)
async def test_invalid_coordinates_are_rejected(wind: Client, query: str) -> None:
    assert await wind.code("GET", f"/api/point?{query}") == (400, "invalid_coordinates")


@pytest.mark.anyio
async def test_models_report_what_is_available(wind: Client) -> None:
    models = {each["id"]: each for each in (await wind.get("/api/models")).json()["models"]}
    assert next(iter(models)) == "icon-d2" and len(models) == 10
    d2 = models["icon-d2"]
    assert d2["area"] == {"w": -4.17, "s": 43.04, "e": 20.55, "n": 58.17}
    assert (d2["reachHours"], d2["stepHours"], d2["resolutionKm"]) == (2, 1, 2.2)
    assert models["ecmwf"]["reachHours"] == 360
    (run,) = d2["runs"]
    assert (run["steps"], run["complete"]) == (3, True)
    assert 5400 <= run["age"] <= 9100
    assert models["gfs"]["area"] is None and models["icon"]["runs"] == []
    assert all(model["attribution"] for model in models.values())


def test_models_report_how_fetching_is_going(tmp_path: Path, workers: Workers) -> None:
    """Visitors see why there is no forecast yet, without the addresses of the operator."""
    catalogue, run = Catalogue(tmp_path), 1_778_544_000
    ingest = Ingest(catalogue, {}, MODELS, workers, clock=time.time)
    ingest.state("icon").incoming = Incoming(run, steps=113, done=7)
    inputs = {"address": "https://mirror.lan"}
    errors = {
        "icon": Problem("not_yet"),
        "aicon": Problem("unreachable", inputs),
        "ecmwf": Problem("weather_refused", {"model": "ecmwf", "reason": "not_grib"}),
        "aifs": Problem("run_incomplete", {"reason": "bad_answer", "cause": inputs}),
        "gfs": Problem("run_incomplete", {"reason": "not_yet"}),
    }
    for model, error in errors.items():
        ingest.state(model).error = error
    text = msgspec.json.encode(Forecasts(catalogue, ingest, time.time).models())
    models = {each["id"]: each for each in msgspec.json.decode(text)["models"]}
    assert models["icon"]["fetching"] == {"run": run, "done": 7, "steps": 113}
    assert {each: models[each]["trouble"] for each in errors} == {
        "icon": None,
        "aicon": "no_answer",
        "ecmwf": "bad_data",
        "aifs": "no_answer",
        "gfs": None,
    }
    assert b"mirror.lan" not in text


@pytest.mark.anyio
async def test_health_reports_the_age_of_the_data(wind: Client) -> None:
    age = (await wind.get("/api/health")).json()["dataAge"]
    assert age["icon"] is None
    assert 5400 <= age["icon-d2"] <= 9100
    assert age["icon-d2"] < age["icon-eu"] < age["gfs"]


@pytest.mark.anyio
async def test_point_without_any_data_has_a_notice(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        answer = (await client.get(KIEL)).json()
        assert (answer["forecasts"], answer["notice"]) == ([], "no_forecast")


@pytest.mark.anyio
async def test_point_has_forecasts_while_database_is_unavailable(
    wind: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_place: object) -> None:
        raise AppError(503, "database_unavailable", seconds=5)

    monkeypatch.setattr(service_of(wind, Rankings), "nearest", fail)
    for query in ("lat=54.3&lon=10.1", "lon=10.1&lat=54.3"):
        answer = (await wind.get(f"/api/point?{query}")).json()
        assert answer["nearest"] is None
        assert answer["forecasts"][0]["model"] == "icon-d2"
