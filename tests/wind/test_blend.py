"""Best: the blend learns from stored forecasts and measurements, and says how certain it is."""

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from quartet.wind.alerts import store, store_history, store_messages
from quartet.wind.alerts.evaluation import Evaluation
from quartet.wind.alerts.service import minimums_of
from quartet.wind.alerts.spans import AlertSpans
from quartet.wind.blend import store as blend_store
from quartet.wind.blend.answers import BestForecasts
from quartet.wind.blend.calibration import share_skill, solve_weights
from quartet.wind.blend.distribution import (
    PIT_EDGES,
    deviations,
    measured_shares,
    position,
    standard_quantile,
)
from quartet.wind.blend.learning import LessonHour, blend, derive, learn
from quartet.wind.blend.prediction import ModelWinds, blend_places
from quartet.wind.blend.service import Blends
from quartet.wind.blend.state import LEAD_ENDS, LEADS, State, row_of
from quartet.wind.demo.measurements import demo_spots, measured
from quartet.wind.demo.past_forecasts import rows_of_run
from quartet.wind.grid.arrays import Floats
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.grid.geometry import Grid
from quartet.wind.models.catalogue import MODELS
from quartet.wind.observations.types import Measurement
from quartet.wind.outlook.service import Outlooks
from quartet.wind.places.coordinates import Coordinates
from quartet.wind.spots.service import Spots
from quartet.wind.spots.types import NewFavorite
from tests.wind.alert_harness import alert_change
from tests.wind.runs import finished_run
from tests.wind.signed_in_users import new_account
from tests.wind.station_setup import KIEL, NOW, Site, site_at

HOUR = 3600
RUN = NOW // 86400 * 86400
FRESH = NOW // 21600 * 21600
STATIONS = 12
# Error in knots that three models make in addition to their bias.
NOISE = np.array([1.0, 2.0, 3.0], np.float32)
BIAS = np.array([2.0, 0.0, -1.0], np.float32)


class World:
    """Stations with wind of 4 to 20 knots and three models."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(5)
        self.state = State(STATIONS, 3)
        self.hours = 0
        self.bias = BIAS.copy()
        self.noise = NOISE

    def hour(self) -> tuple[LessonHour, Floats]:
        truth = self.random.uniform(4, 20, STATIONS).astype(np.float32)
        noise = self.random.normal(0, 1, (STATIONS, LEADS, 3)) * self.noise
        forecasts = (truth[:, None, None] + self.bias + noise).astype(np.float32)
        self.hours += 1
        direction = np.full(STATIONS, 90, np.float32)
        return LessonHour(self.hours * HOUR, forecasts, truth, direction), truth

    def run(self, hours: int, sensor: float | None = None) -> float:
        """Learn and return the mean error; `sensor` is what a faulty one measures."""
        errors = []
        for number in range(hours):
            if number % 6 == 0:
                learnt = derive(self.state)
            hour, truth = self.hour()
            errors.append(np.abs(blend(hour, learnt).wind - truth[:, None]).mean())
            if sensor is not None:
                hour = hour._replace(measured=np.full(STATIONS, sensor, np.float32))
            learn(self.state, hour, learnt)
        return float(np.mean(errors))


def test_blend_corrects_bias_and_prefers_accurate_models() -> None:
    world = World()
    world.run(240)
    learnt = derive(world.state).coefficients
    at_mean = learnt.offset + learnt.slope * (12 + BIAS) - 12
    assert np.abs(at_mean).mean() < 0.3
    good, middle, bad = learnt.weight.mean(axis=(0, 1))
    assert good > 0.5 > middle > bad >= 0
    # The best model alone would be off by 0.8 knots after its correction.
    assert world.run(48) < 0.8


def test_blend_without_samples_is_the_mean_of_all_models() -> None:
    learnt = derive(State(1, 3))
    nothing = np.full(1, np.nan, np.float32)
    hour = LessonHour(0, np.full((1, LEADS, 3), 9, np.float32), nothing, nothing)
    hour.forecasts[..., 2] = 15
    assert np.allclose(blend(hour, learnt).wind, 11)
    assert np.allclose(learnt.coefficients.weight, 1 / 3)


def test_blend_survives_a_stuck_sensor_and_outliers() -> None:
    world = World()
    before = world.run(240)
    world.run(72, sensor=0.0)
    world.run(2, sensor=99.0)
    assert world.run(24) < before * 1.2


@pytest.mark.nightly
def test_blend_recovers_from_a_model_change_within_three_days() -> None:
    world = World()
    world.run(400)
    usual = world.run(48)
    world.bias = BIAS + np.array([5, 0, 0], np.float32)
    world.run(72)
    assert world.run(24) < usual * 1.1


def test_blend_soon_trusts_a_model_that_is_many_times_better() -> None:
    world = World()
    world.bias = np.zeros(3, np.float32)
    world.noise = np.array([0.3, 3, 3], np.float32)
    world.run(36)
    # The mean error of the good model alone is 0.24 knots.
    assert world.run(36) < 0.32


def test_blend_gives_no_weight_to_a_model_that_does_not_reach_a_lead_time() -> None:
    state = State(1, 3)
    state.errors[:, 0] = 100
    state.errors[:, 1] = 100 * np.array([0.1, 1, 9], np.float32)
    state.errors[:, :, -1, 0] = 0
    # It has a third of the hours of the class before.
    state.errors[:, :, -2, 0] /= 3
    found = derive(state).coefficients
    assert found.weight[0, 0, 0] > 0.8
    assert found.weight[0, -1, 0] < 0.001 and found.weight[0, -1, 1] > 0.8
    assert found.weight[0, -2, 0] > 0.8
    assert found.lasting[0, -2, 0] < 0.001 and found.lasting[0, -2, 1] > 0.8


def test_weights_of_contradicting_correlations_prefer_the_best_model() -> None:
    """The second and third model cannot be as alike to the first one and so different."""
    matrix = np.array([[1.0, 0.95, 0.95], [0.95, 1, 0], [0.95, 0, 1]])
    size = np.array([0.5, 2, 2])
    good, *others = solve_weights((matrix * size * size[:, None])[None, None])[0, 0]
    assert good > 0.9 and min(others) >= 0


def test_blend_at_a_new_station_trusts_models_that_are_good_at_other_ones() -> None:
    state = State(20, 3)
    state.errors[1:, 0] = 200
    state.errors[1:, 1] = 200 * np.array([1, 4, 9], np.float32)
    share_skill(state)
    alone = State(1, 3, state.numbers[:1].copy())
    good, middle, bad = derive(alone).coefficients.weight[0, 0]
    assert good > middle > bad and good > 0.6
    alone.network[:] = 0
    assert np.allclose(derive(alone).coefficients.weight, 1 / 3)


def test_state_keeps_what_it_knows_when_a_model_is_added() -> None:
    world = World()
    world.run(50)
    stored = world.state.numbers[0].astype("<f4").tobytes()
    row = row_of(stored, ["a", "b", "c"], ["b", "new", "a"])
    assert row is not None
    moved, old = State(1, 3, row[None]), world.state
    assert np.array_equal(moved.calibration[0, ..., 0], old.calibration[0, ..., 1])
    assert np.array_equal(moved.products[0, 0, 2], old.products[0, 1, 0])
    assert not moved.calibration[0, ..., 1].any()
    assert np.array_equal(moved.spread[0], old.spread[0])
    assert row_of(stored[:-4], ["a", "b", "c"], ["a"]) is None


@pytest.mark.nightly
def test_blend_follows_models_that_end_at_zero() -> None:
    """Forecasts that are 6 knots too low but never negative do not lie on a line."""
    random = np.random.default_rng(3)
    state, errors = State(STATIONS, 3), dict[int, list[float]]()
    for number in range(30 * 24):
        if number % 6 == 0:
            learnt = derive(state)
        truth = random.uniform(0, 24, STATIONS).astype(np.float32)
        forecasts = np.maximum(
            truth[:, None, None] - 6 + random.normal(0, 1, (STATIONS, LEADS, 3)), 0
        )
        direction = np.full(STATIONS, np.nan, np.float32)
        hour = LessonHour(number * HOUR, forecasts.astype(np.float32), truth, direction)
        off = (blend(hour, learnt).wind - truth[:, None]).mean(axis=1)
        for knots, error in zip(truth, off, strict=True):
            if number > 20 * 24:
                errors.setdefault(int(knots) // 4, []).append(float(error))
        learn(state, hour, learnt)
    # Without what is learnt by wind speed it is 0.57.
    assert np.mean([abs(np.mean(errors[level])) for level in range(2, 6)]) < 0.45


def test_deviation_without_samples_grows_with_the_lead_time() -> None:
    (deviation,) = deviations(State(1, 3))
    assert (np.diff(deviation) > 0).all()


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    async with site_at(tmp_path) as site:
        yield site


async def taught(site: Site, folder: Path) -> tuple[Blends, Catalogue]:
    """Return blends that know six days of the demo's weather in Kiel."""
    spots = demo_spots([await site.stations.by_slug(KIEL)])
    first = RUN - 5 * 86400
    times = range(first, NOW, HOUR)
    await site.observations.add(row for time in times for row in measured(spots, time))
    for run in range(first, RUN, 43200):
        await site.rankings.add(rows_of_run(MODELS, run, spots))
    catalogue = Catalogue(folder / "grids")
    ids = [model.id for model in MODELS if not model.id.endswith("wave")]
    blends = Blends(site.db, site.stations, catalogue, ids, site.clock)
    assert await blends.learn() == 1
    return blends, catalogue


@pytest.mark.anyio
async def test_blend_learns_every_hour_once(site: Site, tmp_path: Path) -> None:
    blends, _ = await taught(site, tmp_path)
    assert await blends.learn() == 0
    site.clock.now += HOUR
    assert await blends.learn() == 1


@pytest.mark.anyio
async def test_state_of_an_older_version_is_learnt_again(site: Site, tmp_path: Path) -> None:
    blends, _ = await taught(site, tmp_path)
    kiel = await site.stations.by_slug(KIEL)
    before = (await site.db.read(blend_store.states_of, [kiel.id]))[kiel.id]
    old = before._replace(version=before.version - 1, numbers=bytes(len(before.numbers)))
    await site.db.write(lambda tx: blend_store.save(tx.conn, [old]))
    assert await blends.learn() == 1
    assert (await site.db.read(blend_store.states_of, [kiel.id]))[kiel.id] == before


@pytest.mark.nightly
@pytest.mark.anyio
async def test_blend_fades_into_the_plain_one_away_from_stations(
    site: Site, tmp_path: Path
) -> None:
    blends, _ = await taught(site, tmp_path)
    kiel = await site.stations.by_slug(KIEL)
    at, near, far = [
        await blends.knowledge(Coordinates(kiel.lat + north, kiel.lon)) for north in (0, 0.15, 2)
    ]
    assert [each.basis for each in (at, near, far)] == ["station", "neighbours", "models"]
    assert 0.3 < near.neighbours[0].share < 0.8 and not far.neighbours
    weights = [each.learnt.coefficients.weight[0, 3] for each in (at, near, far)]
    assert weights[2].std() < 1e-6 < weights[1].std() < weights[0].std()


@pytest.mark.anyio
async def test_best_has_hours_quantiles_chances_and_an_explanation(
    site: Site, tmp_path: Path
) -> None:
    blends, catalogue = await taught(site, tmp_path)
    grid = Grid(5.0, 50.0, 1.0, 1.0, 10, 8)
    for model, knots, steps in (("icon-eu", 14, range(49)), ("gfs", 20, range(0, 73, 3))):
        numbers = np.zeros((len(steps), 3, grid.points), np.int16)
        # From the west, with gusts.
        numbers[:, 0], numbers[:, 2] = 100 * knots, 140 * knots
        run = finished_run(
            tmp_path / "grids", grid, numbers, model=model, run=FRESH, steps=tuple(steps)
        )
        catalogue.add(run)
    longest = {model.id: model.longest for model in MODELS}
    answers = BestForecasts(blends, longest, site.clock)
    kiel = await site.stations.by_slug(KIEL)
    best = await answers.at(Coordinates(kiel.lat, kiel.lon), least=12.0)
    first = NOW // HOUR * HOUR
    assert best.times == list(range(first, FRESH + 72 * HOUR + 1, HOUR))
    assert (best.basis, best.run) == ("station", FRESH)
    # Between both models, and nearer to the better one.
    assert all(11 < wind < 17 for wind in best.wind[4:24])
    assert all(
        low < half < high for low, half, high in zip(best.p10, best.p50, best.p90, strict=True)
    )
    assert set(best.direction) == {270}
    assert all(
        gust and 1.3 < gust / wind < 1.6 for gust, wind in zip(best.gust, best.wind, strict=True)
    )
    assert isinstance(best.chance, list) and min(best.chance[4:24]) > 50
    assert best.models[0].model == "icon-eu"
    assert sum(each.share for each in best.models) == 100
    assert best.stations[0].slug == KIEL
    # No jump where the shorter model ends.
    assert max(np.abs(np.diff(best.wind[4:]))) < 2

    # The next hours are pulled towards a new measurement.
    await site.observations.add([(kiel.id, Measurement(NOW - 60, best.wind[0] + 4, 270, "poi"))])
    later = await BestForecasts(blends, longest, site.clock).at(Coordinates(kiel.lat, kiel.lon))
    pulled = np.array(later.wind[:6]) - np.array(best.wind[:6])
    assert pulled[0] > pulled[1] > pulled[2] > 0 and np.abs(pulled[4:]).max() < 0.2

    nothing = await answers.at(Coordinates(0.0, 0.0))
    assert (nothing.times, nothing.basis) == ([], "models")


def winds_until(ends: list[int], knots: list[float], hours: int, run_age: int) -> ModelWinds:
    """Return constant winds of models that end after different numbers of hours."""
    left: Floats = np.asarray(np.array(ends)[:, None] - np.arange(hours), np.float32)
    wind = np.array(knots, np.float32)[:, None, None] * np.ones((1, 1, hours), np.float32)
    wind[left[:, None] < 0] = np.nan
    lead: Floats = np.asarray(run_age + 0 * left + np.arange(hours), np.float32)
    return ModelWinds(0, wind, 0 * wind, wind, lead, left)


def test_model_that_ends_counts_in_full_until_then_and_the_blend_does_not_jump() -> None:
    learnt = derive(State(1, 3))
    found = learnt.coefficients
    found.weight[:] = [1, 0, 0]
    found.variance[:] = [0.2, 1, 4]
    wind = blend_places(winds_until([7, 80, 80], [10, 12, 20], 16, 2), learnt).wind[0]
    assert wind[:8] == pytest.approx([10] * 8, abs=0.1)
    # The third model is sixteen times less precise than the second one, which has no weight either.
    assert 12 < wind[-1] < 12.6
    assert (np.diff(wind[7:]) >= -0.01).all() and np.diff(wind).max() < 1


def test_model_that_ends_is_weighted_by_lead_times_that_it_reaches() -> None:
    learnt = derive(State(1, 2))
    found = learnt.coefficients
    # The first model reaches 48 hours. It has no weight in later classes, as the other has it all.
    reached = [number for number, end in enumerate(LEAD_ENDS) if end <= 48]
    found.weight[:] = [0, 1]
    found.weight[0, reached] = [1, 0]
    wind = blend_places(winds_until([8, 80], [10, 20], 9, 40), learnt).wind[0]
    assert wind == pytest.approx([10] * 9, abs=0.1)


@pytest.mark.anyio
async def test_spot_page_and_alert_state_the_same_window_of_best(
    site: Site, tmp_path: Path
) -> None:
    grid = Grid(5.0, 50.0, 1.0, 1.0, 10, 8)
    catalogue = Catalogue(tmp_path / "grids")
    day = FRESH // 86400 * 86400 + 86400
    for model, knots in (("icon-eu", 22), ("gfs", 10)):
        numbers = np.zeros((73, 3, grid.points), np.int16)
        # Only the mean of both models is between 12 and 20 knots.
        windy = range((day - FRESH) // HOUR + 9, (day - FRESH) // HOUR + 15)
        numbers[:, 0] = 300
        numbers[windy, 0] = 100 * knots
        numbers[:, 2] = numbers[:, 0]
        catalogue.add(finished_run(tmp_path / "grids", grid, numbers, model=model, run=FRESH))
    longest = {model.id: model.longest for model in MODELS}
    blends = Blends(site.db, site.stations, catalogue, list(longest), site.clock)
    best = BestForecasts(blends, longest, site.clock)

    async def limit() -> int:
        return 10

    anna, berta = await new_account(site.db), await new_account(site.db, "berta")
    spot = await Spots(site.db, site.stations, limit).add(anna, NewFavorite("Laboe", 54.4, 10.2))
    change = alert_change(wind_min=12, wind_max=20, min_hours=3)
    await site.db.write(lambda tx: store.save(tx.conn, spot.id, change, "icon-eu"))
    other = await Spots(site.db, site.stations, limit).add(berta, NewFavorite("Kiel", 54.4, 10.2))
    await site.db.write(lambda tx: store.save(tx.conn, other.id, change, "gfs"))
    await Evaluation(site.db, catalogue, site.clock, best).evaluate_new()
    (entry,) = await site.db.read(store_history.history, anna, 10)
    window = (day + 9 * HOUR, day + 15 * HOUR)
    assert (entry.model, entry.window.start, entry.window.end) == ("best", *window)
    assert (entry.window.wind_low, entry.window.wind_high) == (16, 16)
    # All alerts are evaluated, so the messages are sent at once.
    due = await site.db.read(store_messages.due, "push", int(site.clock()), 10)
    assert {(each.model, each.user) for each in due} == {("best", anna), ("best", berta)}

    outlooks = Outlooks(
        site.db, catalogue, longest, site.rankings, minimums_of(site.db), site.clock, best
    )
    outlooks.alert_spans = AlertSpans(site.db, catalogue, best, site.clock).of
    (shown,) = (await outlooks.of(anna)).spots
    assert [(each.start, each.end) for each in shown.windows] == [window]
    assert (shown.windows[0].model, shown.windows[0].wind_mean) == ("best", 16.0)
    (good,) = [day for day in shown.days if any(day.good)]
    inside = [time for time, each in zip(good.times, good.good, strict=True) if each]
    assert (inside[0], inside[-1] + HOUR) == window and 4.8 < good.score < 5.7
    assert shown.windows[0].chance is not None and 80 < shown.windows[0].chance < 95

    async def spans(**conditions: object) -> list[tuple[int, int]]:
        changed = alert_change(min_hours=3, **conditions)
        await site.db.write(lambda tx: store.save(tx.conn, spot.id, changed, "icon-eu"))
        return (await AlertSpans(site.db, catalogue, best, site.clock).of(anna))[spot.id]

    # Certainly more than 12 knots is too much to ask; 17 are possible.
    assert await spans(wind_min=12, wind_max=None, chance_min=95) == []
    assert await spans(wind_min=17, wind_max=None) == []
    assert await spans(wind_min=17, wind_max=None, chance_min=30) == [window]


def test_range_is_right_at_every_lead_time_though_errors_differ_in_shape() -> None:
    random = np.random.default_rng(4)
    # Errors of short lead times are small with few large ones; those of long ones never are.
    short = np.where(random.random(4000) < 0.05, 10, 1) * random.normal(0, 0.4, 4000)
    errors = {0: short, LEADS - 1: random.uniform(-5, 5, 4000)}
    state = State(1, 1)
    for lead, each in errors.items():
        state.spread[0, :, lead] = len(each), np.abs(each).sum()
    for lead, each in errors.items():
        parts = np.searchsorted(PIT_EDGES, position(each / deviations(state)[0, lead]))
        np.add.at(state.pit[0], parts, 1)
    low, high = (standard_quantile(measured_shares(state)[0], each) for each in (0.1, 0.9))
    for lead, each in errors.items():
        standard = each / deviations(state)[0, lead]
        inside = ((standard > low) & (standard < high)).mean()
        assert inside == pytest.approx(0.8, abs=0.09)
