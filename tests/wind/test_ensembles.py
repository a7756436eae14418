"""Ensembles: from the files of their members to quantiles, and to how certain Best is."""

import re
import time
from pathlib import Path

import numpy as np
import pytest
from msgspec import UNSET

from quartet.wind.alerts.best_hours import with_best
from quartet.wind.alerts.hourly import read_forecast
from quartet.wind.app import SERVICE
from quartet.wind.blend import store as blends_store
from quartet.wind.blend.answers import BestForecasts
from quartet.wind.blend.distribution import factor_of, measured_shares, standard_quantile
from quartet.wind.blend.learning import LessonHour, blend, derive, learn
from quartet.wind.blend.pairs import Pairs
from quartet.wind.blend.service import Blends
from quartet.wind.blend.spreads import calibrated
from quartet.wind.blend.state import LEADS, State, row_of
from quartet.wind.demo.errors import forecast_at
from quartet.wind.demo.fields import place_of
from quartet.wind.demo.spread import WIND_OF
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.layout import ENSEMBLE_CHANNELS, NO_DATA
from quartet.wind.ingest.members import quantiles
from quartet.wind.models.catalogue import ENSEMBLES, MODELS
from quartet.wind.observations.types import Measurement
from quartet.wind.places.coordinates import Coordinates
from quartet.wind.ranking import store as rankings
from tests.client import client_of
from tests.wind.admins import admin_at
from tests.wind.conftest import Station
from tests.wind.runs import finished_run
from tests.wind.station_setup import KIEL, NOW, site_at
from tests.wind.test_ingest import KNOTS, point_of
from tests.wind.upstream import HOUR, RUN, Provider, publish, short

FRESH = NOW // 21600 * 21600
# One with cells and one with a regular grid; the others run at night.
EACH_ENSEMBLE = [
    model.id
    if model.id in ("icon-eu-eps", "gefs")
    else pytest.param(model.id, marks=pytest.mark.nightly)
    for model in ENSEMBLES
]
GRID = Grid(5.0, 50.0, 1.0, 1.0, 10, 8)


@pytest.mark.anyio
@pytest.mark.parametrize("model_id", EACH_ENSEMBLE)
async def test_each_ensemble_is_served_as_quantiles(
    model_id: str, station: Station, served: Provider
) -> None:
    model = short(model_id, (0, 6))
    publish(served.folder, model)
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    assert stored.header.channels == ENSEMBLE_CHANNELS
    assert not stored.header.partial
    lat, lon = point_of(place_of(WIND_OF[model_id], "tiny"))
    sample = stored.sample(lat, lon)
    assert sample is not None and sample.shape == (5, 2)
    assert (np.diff(sample, axis=0) >= 0).all()
    said = forecast_at(WIND_OF[model_id], RUN, np.array([lat]), np.array([lon]), RUN + 6 * HOUR)
    speed = float(np.hypot(said.u[0], said.v[0])) * KNOTS
    # The members are the forecast of a model, a little weaker or stronger.
    assert sample[2, 1] == pytest.approx(speed, rel=0.05)
    assert sample[0, 1] < speed < sample[4, 1]


@pytest.mark.anyio
async def test_ensemble_is_served_and_stored_only_while_selected(
    station: Station, served: Provider
) -> None:
    model = short("gefs", (0, 6))
    publish(served.folder, model)
    station.clock.now = RUN + model.delay + model.span
    selected: list[str] = []

    async def selection() -> list[str]:
        return selected

    ingest = station.ingest_of(model, selection=selection)
    await ingest.look(model)
    assert not station.catalogue.runs("gefs")
    assert not ingest.ensembles and not ingest.models
    assert ingest.unused_loops() == ["ingest gefs"]
    selected.append("gefs")
    await ingest.look(model)
    (run,) = station.catalogue.runs("gefs")
    assert list(ingest.ensembles) == [model] and run.folder.exists()
    assert not ingest.unused_loops()
    selected.clear()
    await ingest.look(model)
    assert not station.catalogue.forecasts and not run.folder.exists()


@pytest.mark.anyio
async def test_admin_selects_ensembles_and_sees_their_disk_use(tmp_path: Path) -> None:
    run = int(time.time()) // HOUR * HOUR - HOUR
    stored = quantile_run(tmp_path / "grids", 1.0, model="icon-eu-eps", run=run)
    async with admin_at(tmp_path, ensembles=("icon-eu-eps",)) as browser:

        async def shown() -> dict[str, tuple[bool, int]]:
            found = (await browser.get("/api/admin/forecasts")).json()["ensembles"]
            assert all(each["expectedBytes"] > 100_000_000 for each in found)
            return {each["id"]: (each["selected"], each["bytes"]) for each in found}

        before = await shown()
        assert before.keys() == WIND_OF.keys() and before["icon-eu-eps"][0]
        assert before["icon-eu-eps"][1] > 0 and before["gefs"] == (False, 0)
        path = "/api/admin/settings/ensembles"
        changed = (await browser.put(path, json={"value": ["gefs", "gefs"]})).json()
        assert (changed["type"], changed["value"]) == ("choices", ["gefs"])
        assert changed["default"] == ["icon-eu-eps"]
        after = await shown()
        assert after["gefs"][0] and after["icon-eu-eps"] == (False, 0) and not stored.exists()
        names = [each["id"] for each in (await browser.get("/api/models")).json()["ensembles"]]
        assert names == ["gefs"]
        assert await browser.code("PUT", path, json={"value": ["icon"]}) == (400, "invalid_setting")
        await browser.delete(path)
        assert (await shown())["icon-eu-eps"][0]


@pytest.mark.anyio
async def test_missing_member_is_waited_for_and_then_left_out(
    station: Station, served: Provider
) -> None:
    model = short("icon-d2-eps", (0, 1))
    publish(served.folder, model)
    for path in served.folder.rglob("e/07/s/*.grib2"):
        path.unlink()
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    assert not stored.header.partial
    assert station.clock.naps > 3
    sample = stored.sample(51.0, 10.0)
    assert sample is not None and not np.isnan(sample).any()


@pytest.mark.anyio
async def test_late_members_are_not_transferred_twice(station: Station, served: Provider) -> None:
    model = short("icon-d2-eps", (0, 1))
    publish(served.folder, model)
    late = [
        path for path in served.folder.rglob("*.grib2") if re.search(r"/e/(1\d|20)/", str(path))
    ]
    contents = {path: path.read_bytes() for path in late}
    for path in late:
        path.unlink()

    def arrive() -> None:
        if station.clock.naps == 3:
            for path, content in contents.items():
                path.write_bytes(content)

    station.clock.on_nap = arrive
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    assert not stored.header.partial
    wind = [path for path in served.files if "10M" in path]
    assert len(wind) == len(set(wind)) == 2 * 20 * 2


@pytest.mark.anyio
async def test_damaged_member_is_left_out_at_last(station: Station, served: Provider) -> None:
    model = short("icon-eu-eps", (0, 1))
    publish(served.folder, model)
    (bad,) = served.folder.rglob("p/U_10M/r/*/e/03/s/PT001H00M.grib2")
    bad.write_bytes(bad.read_bytes()[:-200])
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    assert stored.header.steps == (0, 1)


@pytest.mark.anyio
async def test_run_with_too_few_members_is_not_served(station: Station, served: Provider) -> None:
    model = short("gefs", (0, 3))
    publish(served.folder, model)
    for path in served.folder.rglob("gep*.f003*"):
        if not re.search(r"gep0[1-5]", path.name):
            path.unlink()
    stored = await station.ingest_of(model).ingest_run(model, RUN)
    assert stored.header.steps == (0,) and stored.header.partial


def test_quantiles_lie_between_members() -> None:
    members = [
        np.array([number * 100, NO_DATA if number == 3 else 5], np.int16) for number in range(11)
    ]
    found = quantiles(members)
    # Eleven members from 0 to 10 knots, each of which stands for the middle of an eleventh.
    assert found[:, 0].tolist() == [60, 225, 500, 775, 940]
    assert (found[:, 1] == NO_DATA).all()


def quantile_run(folder: Path, spread: float, *, model: str, run: int) -> Path:
    """A run whose members are around 12 knots, twice as far apart in the second day."""
    numbers = np.empty((49, 5, GRID.points), np.int16)
    for step in range(49):
        away = spread * (1 if step < 24 else 2)
        rows = 12 + away * np.array([-1.2816, -0.6745, 0, 0.6745, 1.2816])
        numbers[step] = np.rint(100 * rows)[:, None]
    return finished_run(folder, GRID, numbers, model=model, run=run, channels=ENSEMBLE_CHANNELS)


@pytest.mark.anyio
async def test_band_and_chances_follow_the_ensemble(tmp_path: Path) -> None:
    async with site_at(tmp_path) as site:
        grids, catalogue = tmp_path / "grids", Catalogue(tmp_path / "grids")
        numbers = np.zeros((73, 3, GRID.points), np.int16)
        numbers[:, 0], numbers[:, 2] = 1200, 1500
        catalogue.add(finished_run(grids, GRID, numbers, model="icon-eu", run=FRESH))
        longest = {model.id: model.longest for model in (*MODELS, *ENSEMBLES)}
        ids = [model.id for model in ENSEMBLES]
        blends = Blends(site.db, site.stations, catalogue, ["icon-eu"], site.clock, ensembles=ids)
        answers = BestForecasts(blends, longest, site.clock)
        place = Coordinates(54.4, 10.2)
        without = await answers.at(place, least=14)
        assert without.ensembles is UNSET
        catalogue.add(quantile_run(grids, 0.5, model="icon-eu-eps", run=FRESH))
        known = await answers.at(place, least=14)
        assert known.ensembles == ["icon-eu-eps"]
        assert known.wind == without.wind
        width = np.array(known.p90) - np.array(known.p10)
        before = np.array(without.p90) - np.array(without.p10)
        first = FRESH - without.times[0]
        second_day = (first + 30 * HOUR) // HOUR
        assert width[2] < 0.8 * before[2] and width[second_day] > width[2]
        # Past errors say how certain the hours are that the ensemble does not reach.
        assert width[-1] == pytest.approx(before[-1], abs=0.11)
        assert isinstance(known.chance, list) and isinstance(without.chance, list)
        assert known.chance[2] < without.chance[2]

        # Alerts ask for the probability of the same hours with the same function.
        inputs = await answers.inputs([place])
        assert inputs is not None
        lats, lons = np.array([place.lat]), np.array([place.lon])
        weather = read_forecast(catalogue.forecasts["icon-eu"], lats, lons, known.times[0], 40)
        alert = with_best(weather, inputs, lats, lons, [True], np.array([14.0]))
        assert alert.chance is not None
        assert np.rint(alert.chance[0]).astype(int).tolist() == known.chance[:40]


@pytest.mark.anyio
async def test_spread_of_an_ensemble_is_kept_but_not_ranked(tmp_path: Path) -> None:
    async with site_at(tmp_path) as site:
        kiel = await site.stations.by_slug(KIEL)
        await site.observations.add([(kiel.id, Measurement(NOW - 60, 12.0, 270, "poi"))])
        catalogue = Catalogue(tmp_path / "grids")
        midnight = NOW // 86400 * 86400
        run = quantile_run(tmp_path / "grids", 0.5, model="icon-eu-eps", run=midnight)
        assert await site.rankings.keep(catalogue.add(run)) == 1
        assert await site.db.read(rankings.of_station, kiel.id, 0) == []
        kept = await site.db.read(blends_store.forecasts, [kiel.id], 0, NOW)
        pairs = Pairs([kiel.id], ["icon-eu"], kept, ["icon-d2-eps", "icon-eu-eps"])
        hour = pairs.hour(midnight + 20 * HOUR, np.array([12], np.float32))
        assert hour.spreads is not None
        (found,) = hour.spreads[~np.isnan(hour.spreads)]
        assert found == pytest.approx(0.5, abs=0.02)


def test_spread_is_calibrated_by_past_errors() -> None:
    """The members differ half as much as the forecast errs, and know which hours are certain."""
    random = np.random.default_rng(9)
    stations = 20
    state = State(stations, 3)
    inside = []
    for number in range(24 * 30):
        if number % 6 == 0:
            learnt, shares = derive(state), measured_shares(state)
        size = random.choice([0.7, 2.5], (stations, 1)).astype(np.float32)
        spreads = np.full((4, stations, LEADS), np.nan, np.float32)
        spreads[1] = size / 2
        truth = random.uniform(6, 14, stations).astype(np.float32)
        forecast = truth[:, None] + random.standard_normal((stations, LEADS)) * size
        forecasts = np.repeat(forecast[..., None], 3, axis=2).astype(np.float32)
        direction = np.full(stations, 90, np.float32)
        hour = LessonHour(number * HOUR, forecasts, truth, direction, spreads)
        wind = blend(hour, learnt).wind
        if number > 24 * 20:
            past = learnt.deviations * factor_of(learnt.factors, wind)
            deviation = calibrated(past, spreads, learnt.spreads, None)
            ten, ninety = (
                np.array([standard_quantile(each, share) for each in shares])[:, None]
                for share in (0.1, 0.9)
            )
            within = (truth[:, None] > wind + ten * deviation) & (
                truth[:, None] < wind + ninety * deviation
            )
            inside += [(bool(certain), within[row].mean()) for row, certain in enumerate(size < 1)]
        learn(state, hour, learnt)
    for certain in (True, False):
        share = np.mean([part for kind, part in inside if kind == certain])
        assert 0.72 < share < 0.88, f"certain hours: {certain}"


def test_state_of_an_older_release_is_read() -> None:
    state = State(1, 2)
    state.spread[:] = 3
    stored = state.numbers[0].astype("<f4").tobytes()
    for newer in (state.network.nbytes, state.network.nbytes + state.ensembles.nbytes):
        row = row_of(stored[:-newer], ["a", "b"], ["a", "b"])
        assert row is not None and np.array_equal(row, state.numbers[0])


@pytest.mark.anyio
async def test_point_lists_ensembles_only_if_the_site_fetches_them(tmp_path: Path) -> None:
    now = int(time.time()) // HOUR * HOUR
    numbers = np.zeros((3, 3, GRID.points), np.int16)
    for folder, chosen in ((tmp_path / "with", ("icon-eu-eps",)), (tmp_path / "without", ())):
        finished_run(folder / "grids", GRID, numbers, model="icon-eu", run=now - HOUR)
        quantile_run(folder / "grids", 1.0, model="icon-eu-eps", run=now - HOUR)
        async with client_of(SERVICE, folder, ensembles=chosen) as client:
            point = (await client.get("/api/point?lat=54.4&lon=10.2")).json()
            models = (await client.get("/api/models")).json()
            outside = (await client.get("/api/point?lat=10&lon=10")).json()
        assert [each["model"] for each in point["forecasts"]] == ["icon-eu"]
        assert [each["id"] for each in models["ensembles"]] == list(chosen)
        assert "ensembles" not in outside
        if chosen:
            (series,) = point["ensembles"]
            assert (series["p10"][0], series["p50"][0], series["p90"][0]) == (10.7, 12.0, 13.3)
        else:
            assert "ensembles" not in point
