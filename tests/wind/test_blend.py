"""The blend of all models: its weights, its corrections, and how certain it is."""

import numpy as np
import pytest

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
from quartet.wind.blend.state import LEAD_ENDS, LEADS, State, row_of
from quartet.wind.grid.arrays import Floats

HOUR = 3600
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
