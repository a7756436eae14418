"""Learn from the measurements of one hour at several stations."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quartet.wind.blend.calibration import (
    Coefficients,
    Offsets,
    coefficients,
    offsets,
    passed_on,
    share_skill,
)
from quartet.wind.blend.distribution import (
    PIT_EDGES,
    class_factors,
    deviations,
    factor_of,
    median,
    position,
    wind_class,
)
from quartet.wind.blend.levels import learn_levels, level_offset
from quartet.wind.blend.spreads import calibrated, learn_spreads, spread_factors
from quartet.wind.blend.state import PIT_BINS, State, day_part, sector_of
from quartet.wind.grid.arrays import Floats

# Time in which sums decay to a third: a season is followed, a model change is not.
_MEMORY_HOURS = 30 * 24
_RECENT_HOURS, _COMMON_HOURS = 24, 48
_KEPT = np.float32(np.exp(-1 / _MEMORY_HOURS))
_KEPT_RECENT = np.float32(np.exp(-1 / _RECENT_HOURS))
_KEPT_COMMON = np.float32(np.exp(-1 / _COMMON_HOURS))
# A measurement further away than this counts as if it were at this distance.
_MOST_DEVIATIONS = 3.5
_USUAL_DEVIATION = 3.0
# Hours after which an unchanged measurement that contradicts the forecast is not believed.
_STUCK_HOURS = 5
_STUCK_DEVIATIONS = 1.5
_STRONGEST = 120.0
# A model has changed if it has differed from the others by this much, for this many hours.
_CHANGE_DEVIATIONS, _CHANGE_KNOTS = 1.0, 0.8
_CHANGE_HOURS = 9.0
# After a model has changed, this share of its errors is kept. Its old line, moved by the difference
# from the others, counts as this many hours.
_KEPT_AFTER_CHANGE = np.float32(0.004)
_MOVED_HOURS = 12.0

Bools = NDArray[np.bool_]


class LessonHour(NamedTuple):
    """Forecasts (station, lead class, model) and measurements (station) of one hour."""

    time: int
    # Knots; NaN where there is none.
    forecasts: Floats
    measured: Floats
    # The forecast direction in degrees; NaN if unknown.
    direction: Floats
    # Standard deviations of ensembles in knots, shaped (ensemble, station, lead class).
    spreads: Floats | None = None


class Learnt(NamedTuple):
    """Derived from a state; good for some hours of learning."""

    coefficients: Coefficients
    offsets: Offsets
    deviations: Floats
    # Factors of the deviations by class of wind speed.
    factors: Floats
    # How spreads of ensembles become deviations.
    spreads: Floats


def derive(state: State) -> Learnt:
    return Learnt(
        coefficients(state),
        offsets(state),
        deviations(state),
        class_factors(state),
        spread_factors(state),
    )


class Blended(NamedTuple):
    """The blend of an hour for every station and lead class, and the calibrated models."""

    # The weighted mean of the models, and its line, without the offsets of direction and hour.
    mixture: Floats
    base: Floats
    # With the offsets, but without that of the wind speed.
    shifted: Floats
    wind: Floats
    calibrated: Floats


def blend(hour: LessonHour, learnt: Learnt) -> Blended:
    found = learnt.coefficients
    calibrated = found.offset + found.slope * hour.forecasts
    known = ~np.isnan(calibrated)
    weight = passed_on(found, known)
    mixture = np.where(known, calibrated * weight, 0).sum(axis=2)
    mixture = np.where(known.any(axis=2), mixture, np.nan)
    base = found.mixture_offset + found.mixture_slope * mixture
    left = learnt.offsets
    sector, part = sector_of(hour.direction), day_part(hour.time)
    rows = np.arange(len(base))
    more = np.where(np.isnan(hour.direction), 0, left.sectors[rows, sector])
    more = more + left.day_parts[:, part] + left.common
    shifted = np.maximum(base + more[:, None], 0)
    wind = np.maximum(shifted + level_offset(left.levels, shifted), 0)
    return Blended(mixture, base, shifted, wind, calibrated)


def learn(state: State, hour: LessonHour, learnt: Learnt) -> None:
    """Add an hour to the state. `learnt` may be a few hours old."""
    blended = blend(hour, learnt)
    believed, measured = _believed(state, hour, blended, learnt)
    if not believed.any():
        return
    right = np.where(believed, measured, np.nan)[:, None]
    _learn_blend(state, hour, blended, learnt, right)
    _learn_models(state, hour, blended, learnt, right[..., None])
    _forget_changed(state, learnt)
    if state.stations > 1:
        share_skill(state)


def _believed(
    state: State, hour: LessonHour, blended: Blended, learnt: Learnt
) -> tuple[Bools, Floats]:
    """Return which measurements count, and their values without outliers."""
    expected = median(blended.wind)[:, 0]
    deviation = np.maximum(np.median(learnt.deviations, axis=1), 0.5)
    measured = hour.measured
    with np.errstate(invalid="ignore"):
        present = ~np.isnan(measured) & ~np.isnan(expected)
        present &= (measured >= 0) & (measured <= _STRONGEST)
        same = present & (np.abs(measured - state.sensor[:, 0]) < 0.05)
        state.sensor[:, 1] = np.where(same, state.sensor[:, 1] + 1, 0)
        state.sensor[:, 0] = np.where(present, measured, state.sensor[:, 0])
        far = np.abs(measured - expected) > _STUCK_DEVIATIONS * deviation
    stuck = (state.sensor[:, 1] >= _STUCK_HOURS) & far
    limit = _MOST_DEVIATIONS * deviation
    clipped = np.clip(measured, expected - limit, expected + limit)
    return present & ~stuck, np.asarray(clipped, np.float32)


def _learn_blend(
    state: State, hour: LessonHour, blended: Blended, learnt: Learnt, right: Floats
) -> None:
    error = right - blended.wind
    known = ~np.isnan(error)
    learns = known.any(axis=1)
    forecast, true = np.where(known, blended.mixture, 0), np.where(known, right, 0)
    _add_pairs(state.mixture, forecast[..., None], true[..., None], known[..., None])
    kept = np.where(learns, _KEPT, 1)[:, None]
    state.spread *= kept[..., None]
    state.spread[:, 0] += known
    state.spread[:, 1] += np.where(known, np.abs(error), 0)
    standard = np.where(known, error / learnt.deviations, 0)
    number = wind_class(np.where(np.isnan(blended.wind), 0, blended.wind))
    state.classes *= kept[..., None]
    for each in range(state.classes.shape[2]):
        here = known & (number == each)
        state.classes[:, 0, each] += here.sum(axis=1)
        state.classes[:, 1, each] += np.where(here, np.abs(standard), 0).sum(axis=1)
    state.pit *= kept
    rows = np.broadcast_to(np.arange(len(error))[:, None], error.shape)
    past = learnt.deviations * factor_of(learnt.factors, blended.wind)
    deviation = past
    if hour.spreads is not None:
        state.ensembles *= kept[..., None]
        learn_spreads(state, hour.spreads, np.where(known, error / past, np.nan), past)
        deviation = calibrated(past, hour.spreads, learnt.spreads, None)
    standard = np.where(known, error / deviation, 0)
    parts = np.clip(np.searchsorted(PIT_EDGES, position(standard)), 0, PIT_BINS - 1)
    np.add.at(state.pit, (rows[known], parts[known]), 1)
    _learn_offsets(state, hour, blended, learnt, right, learns)
    state.levels *= kept[..., None]
    learn_levels(state, blended.shifted, right)


def _learn_offsets(
    state: State, hour: LessonHour, blended: Blended, learnt: Learnt, right: Floats, learns: Bools
) -> None:
    base = right - blended.base
    known = ~np.isnan(base)
    mean = np.where(known, base, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    rows = np.flatnonzero(learns & ~np.isnan(hour.direction))
    sector = sector_of(hour.direction)
    state.sectors *= np.where(learns, _KEPT, 1)[:, None, None]
    state.sectors[rows, 0, sector[rows]] += 1
    state.sectors[rows, 1, sector[rows]] += mean[rows]
    part = day_part(hour.time)
    left = mean - np.where(
        np.isnan(hour.direction), 0, learnt.offsets.sectors[np.arange(len(mean)), sector]
    )
    # Every part of the day has one eighth of the hours.
    state.day_parts *= np.where(learns, _KEPT, 1)[:, None, None]
    state.day_parts[:, 0, part] += learns
    state.day_parts[:, 1, part] += np.where(learns, left, 0)
    left = left - learnt.offsets.day_parts[:, part]
    state.common *= np.where(learns, _KEPT_COMMON, 1)[:, None]
    state.common[:, 0] += learns
    state.common[:, 1] += np.where(learns, left, 0)


def _learn_models(
    state: State, hour: LessonHour, blended: Blended, learnt: Learnt, right: Floats
) -> None:
    forecasts = hour.forecasts
    known = ~np.isnan(forecasts) & ~np.isnan(right)
    forecast = np.where(known, forecasts, 0)
    true = np.where(known, right, 0)
    _add_pairs(state.calibration, forecast, true, known)
    error = np.where(known, right - blended.calibrated, 0)
    # The first errors are of a model that is not calibrated yet, and are forgotten soon.
    early = 1 - 0.8 / (state.errors[:, 0] + 1)
    state.errors *= np.where(known, np.minimum(early, _KEPT), 1)[:, None]
    state.errors[:, 0] += known
    state.errors[:, 1] += error * error
    standard = np.asarray(error / np.sqrt(learnt.coefficients.variance), np.float32)
    standard = np.clip(standard, -4, 4)
    flags = known.astype(np.float32)
    pairs = flags.transpose(0, 2, 1) @ flags
    decay = np.where(pairs > 0, _KEPT, 1)
    state.counts *= decay
    state.products *= decay
    state.counts += pairs
    state.products += standard.transpose(0, 2, 1) @ standard
    _learn_recent(state, blended, known, learnt)


def _add_pairs(sums: Floats, forecast: Floats, true: Floats, known: Bools) -> None:
    sums *= np.where(known, _KEPT, 1)[:, None]
    sums[:, 0] += known
    sums[:, 1] += forecast
    sums[:, 2] += true
    sums[:, 3] += forecast * forecast
    sums[:, 4] += forecast * true


def _learn_recent(state: State, blended: Blended, known: Bools, learnt: Learnt) -> None:
    """Learn how far a model is from the others, which the weather does not change.

    A change shows first in short lead times, whose errors are small.
    """
    some = np.where(known, blended.calibrated, np.nan)
    enough = known.sum(axis=2, keepdims=True) >= 3
    with np.errstate(invalid="ignore"):
        middle = np.where(enough, median(some), np.nan)
    away = some - middle
    present = ~np.isnan(away)
    precision = np.where(present, 1 / _usual_variance(learnt)[..., None], 0)
    mean = np.where(present, away * precision, 0).sum(axis=1)
    mean = mean / np.maximum(precision.sum(axis=1), 1e-6)
    here = present.any(axis=1)
    state.recent *= np.where(here, _KEPT_RECENT, 1)[:, None]
    state.recent[:, 0] += here
    state.recent[:, 1] += np.where(here, mean, 0)


def _usual_variance(learnt: Learnt) -> Floats:
    """Return the median squared error of the models: that of a changed one has grown already."""
    return np.asarray(np.median(learnt.coefficients.variance, axis=2), np.float32)


def _forget_changed(state: State, learnt: Learnt) -> None:
    """Forget what was learnt about models that suddenly differ from the others."""
    count, total = state.recent[:, 0], state.recent[:, 1]
    mean = total / np.maximum(count, 1)
    error = 1 / np.sqrt((1 / _usual_variance(learnt)).mean(axis=1, keepdims=True))
    changed = (count >= _CHANGE_HOURS) & (
        np.abs(mean) > np.maximum(_CHANGE_DEVIATIONS * error, _CHANGE_KNOTS)
    )
    changed &= state.calibration[:, 0].max(axis=1) > 4 * _RECENT_HOURS
    if not changed.any():
        return
    _move_lines(state, changed, np.asarray(np.where(changed, mean, 0), np.float32))
    kept = np.where(changed, _KEPT_AFTER_CHANGE, np.float32(1))
    state.errors *= kept[:, None, None]
    state.counts *= kept[:, :, None] * kept[:, None]
    state.products *= kept[:, :, None] * kept[:, None]
    state.recent *= np.where(changed, 0, np.float32(1))[:, None]
    # It has learnt the error of the changed model.
    state.common *= np.where(changed.any(axis=1), 0, np.float32(1))[:, None]


def _move_lines(state: State, changed: Bools, knots: Floats) -> None:
    """Let the lines of changed models count as a few hours, moved by `knots`."""
    sums = state.calibration
    few = np.minimum(_MOVED_HOURS / np.maximum(sums[:, 0], 1e-6), 1)
    sums *= np.where(changed[:, None], few, 1).astype(np.float32)[:, None]
    sums[:, 2] -= knots[:, None] * sums[:, 0]
    sums[:, 4] -= knots[:, None] * sums[:, 1]
