"""Scores models on the hours that all models forecast and that were measured."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quartet.wind.observations.types import Measurement
from quartet.wind.ranking.hours import LEADS, LeadTimeHours, Numbers
from quartet.wind.ranking.types import BUCKETS, Bucket, Score

# Samples that a bucket of a whole day needs; shorter ones need proportionally fewer.
FEWEST = 48
# Below this speed the direction is random.
LIGHT_KNOTS = 5.0
_HOUR = 3600
_HALF_HOUR = 1800
# A model takes part in a bucket if it covers its last hours.
_LAST_HOURS = 6

# Hours by model and run.
Forecasts = Mapping[str, Mapping[int, LeadTimeHours]]


class _Samples(NamedTuple):
    """Rows are runs, columns are lead times."""

    wind: Numbers
    direction: Numbers


def buckets_of(forecasts: Forecasts, measured: Sequence[Measurement]) -> list[Bucket]:
    models = _regular(forecasts)
    runs = sorted({run for model in models for run in forecasts[model]})
    truth = _truth(runs, measured)
    forecast = {model: _forecast_samples(runs, forecasts[model]) for model in models}
    return [_bucket(hours, forecast, truth) for hours in BUCKETS]


def _regular(forecasts: Forecasts) -> list[str]:
    """Skip models with few runs, because only hours common to all models are compared."""
    most = max((len(runs) for runs in forecasts.values()), default=0)
    return [model for model, runs in forecasts.items() if 2 * len(runs) >= most]


def _forecast_samples(runs: list[int], of_model: Mapping[int, LeadTimeHours]) -> _Samples:
    nothing = LeadTimeHours(np.full(LEADS, np.nan), np.full(LEADS, np.nan))
    rows = [of_model.get(run, nothing) for run in runs]
    return _Samples(np.array([row.wind for row in rows]), np.array([row.direction for row in rows]))


def _truth(runs: list[int], measured: Sequence[Measurement]) -> _Samples:
    """Return the measurement closest to each full hour, at most half an hour away."""
    hours = np.array(runs, np.int64)[:, None] + np.arange(LEADS) * _HOUR
    if not measured or not runs:
        nothing = np.full(hours.shape, np.nan)
        return _Samples(nothing, nothing)
    times = np.array([each.time for each in measured], np.int64)
    after = np.clip(np.searchsorted(times, hours), 1, max(len(times) - 1, 1))
    after = np.minimum(after, len(times) - 1)
    before = np.maximum(after - 1, 0)
    nearest = np.where(hours - times[before] < times[after] - hours, before, after)
    far = np.abs(times[nearest] - hours) > _HALF_HOUR
    wind = np.array([each.wind for each in measured])
    direction = np.array(
        [np.nan if each.direction is None else each.direction for each in measured], np.float64
    )
    return _Samples(np.where(far, np.nan, wind[nearest]), np.where(far, np.nan, direction[nearest]))


def _bucket(hours: tuple[int, int], forecast: dict[str, _Samples], truth: _Samples) -> Bucket:
    first, last = hours
    # The hour between two buckets belongs to the earlier one.
    leads = slice(first + 1 if first else 0, last + 1)
    end = slice(last - _LAST_HOURS + 1, last + 1)
    models = [
        model for model, samples in forecast.items() if not np.isnan(samples.wind[:, end]).all()
    ]
    common = ~np.isnan(truth.wind[:, leads])
    for model in models:
        common = common & ~np.isnan(forecast[model].wind[:, leads])
    n = int(common.sum()) if models else 0
    if n < FEWEST * (last - first) // 24:
        return Bucket(hours, n, [], "few_samples")
    rows = [_score(model, forecast[model], truth, leads, common) for model in models]
    return Bucket(hours, n, sorted(rows, key=lambda row: (row.mae_wind, row.model)))


def _score(
    model: str, forecast: _Samples, truth: _Samples, leads: slice, common: NDArray[np.bool_]
) -> Score:
    right = truth.wind[:, leads][common]
    errors = forecast.wind[:, leads][common] - right
    angles = np.abs(forecast.direction[:, leads][common] - truth.direction[:, leads][common])
    angles = np.minimum(angles, 360 - angles)
    angles = angles[(right >= LIGHT_KNOTS) & ~np.isnan(angles)]
    return Score(
        model,
        round(float(np.abs(errors).mean()), 2),
        round(float(errors.mean()), 2),
        round(float(np.sqrt((errors**2).mean())), 2),
        len(errors),
        round(float(angles.mean()), 1) if len(angles) else None,
    )
