"""Turn learnt sums into the corrections and weights of the models.

Everything is shrunk as far as there are few samples: the bias and slope of a lead time towards
those of all lead times, these towards no correction, and weights towards equal weights.
"""

from typing import NamedTuple

import numpy as np

from quartet.wind.blend.state import State
from quartet.wind.grid.arrays import Floats

# Hours of samples at which an estimate counts as much as what it is shrunk to. Neighbouring hours
# have similar errors, so these are days rather than hours.
_BIAS_HOURS = 12.0
_SLOPE_HOURS = 120.0
# The first weighted means are of models that are not calibrated yet.
_MIXTURE_CAUTION = 8.0
_SKILL_HOURS = 12.0
_CORRELATION_HOURS = 150.0
_SECTOR_HOURS = 60.0
# The variance of wind speed that a slope needs, in squared knots.
_WIND_VARIANCE = 9.0
# Squared knots of a calibrated model that nothing is known about.
_USUAL_VARIANCE = 9.0
_LEAST_VARIANCE = 0.05
_USUAL_CORRELATION = 0.5
# Models share errors of the measurement; without this limit weights become extreme.
_MOST_CORRELATION = 0.95
# Rounds in which models with negative weights are taken out.
_ROUNDS = 3
_EXCLUDED = np.float32(1e6)


class Coefficients(NamedTuple):
    """Of every station, lead class and model: calibrated wind = `offset` + `slope` * forecast."""

    offset: Floats
    slope: Floats
    weight: Floats
    # Squared errors of the calibrated model.
    variance: Floats
    # Hours of samples.
    samples: Floats
    # The line of the weighted mean, by station and lead class: the mean of calibrated models varies
    # less than the wind does.
    mixture_offset: Floats
    mixture_slope: Floats


def coefficients(state: State) -> Coefficients:
    offset, slope = _lines(state.calibration)
    mixture_offset, mixture_slope = _lines(state.mixture, _MIXTURE_CAUTION)
    variance = _variances(state)
    return Coefficients(
        offset,
        slope,
        weights_of(state, variance),
        variance,
        np.array(state.calibration[:, 0]),
        mixture_offset[..., 0],
        mixture_slope[..., 0],
    )


def _lines(sums: Floats, caution: float = 1.0) -> tuple[Floats, Floats]:
    """Return offset and slope of a regression, from sums shaped (station, 5, lead class, model)."""
    count, forecast, measured, squares, products = np.moveaxis(sums, 1, 0)
    some = np.maximum(count, 1e-6)
    mean, right = forecast / some, measured / some
    spread = np.maximum(squares / some - mean * mean, 0)
    together = products / some - mean * right
    all_count = count.sum(axis=1, keepdims=True)
    # Hours are counted once per lead time; samples of several lead times are not independent.
    hours = all_count / np.maximum((count > 0).sum(axis=1, keepdims=True), 1)
    all_bias = (measured - forecast).sum(axis=1, keepdims=True) / np.maximum(all_count, 1e-6)
    bias_hours = caution * _BIAS_HOURS
    all_bias = all_bias * hours / (hours + bias_hours / 2)
    bias = (count * (right - mean) + bias_hours * all_bias) / (count + bias_hours)
    known = caution * _SLOPE_HOURS * _WIND_VARIANCE
    all_slope = ((count * together).mean(axis=1, keepdims=True) + known) / (
        (count * spread).mean(axis=1, keepdims=True) + known
    )
    slope = (count * together + known * all_slope) / (count * spread + known)
    slope = np.clip(slope, 0.3, 2.0)
    return mean * (1 - slope) + bias, slope


def _variances(state: State) -> Floats:
    """Return squared errors, shrunk towards those of all models at this lead time."""
    count, squares = state.errors[:, 0], state.errors[:, 1]
    total = count.sum(axis=2, keepdims=True)
    usual = (squares.sum(axis=2, keepdims=True) + _USUAL_VARIANCE) / (total + 1)
    # The skill of a model at all lead times, as a ratio to the other models.
    ratio = (squares / np.maximum(usual, 1e-6)).sum(axis=1, keepdims=True)
    all_count = count.sum(axis=1, keepdims=True)
    hours = all_count / np.maximum((count > 0).sum(axis=1, keepdims=True), 1)
    mean_ratio = ratio / np.maximum(all_count, 1e-6)
    skill = (hours * mean_ratio + _SKILL_HOURS) / (hours + _SKILL_HOURS)
    found = (squares + 2 * _SKILL_HOURS * usual * skill) / (count + 2 * _SKILL_HOURS)
    return np.asarray(np.maximum(found, _LEAST_VARIANCE), np.float32)


def weights_of(state: State, variance: Floats) -> Floats:
    """Return weights of the least expected squared error, none of them negative."""
    counts = state.counts
    estimate = state.products / np.maximum(counts, 1e-6)
    trust = counts / (counts + _CORRELATION_HOURS)
    correlation = trust * estimate + (1 - trust) * _USUAL_CORRELATION
    correlation = np.clip(correlation, 0, _MOST_CORRELATION)
    models = state.models
    correlation[:, np.arange(models), np.arange(models)] = 1
    error = np.sqrt(variance)
    matrix = correlation[:, None] * error[..., None] * error[..., None, :]
    return solve_weights(np.asarray(matrix, np.float32))


def solve_weights(matrix: Floats) -> Floats:
    models = matrix.shape[-1]
    here = np.arange(models)
    ones = np.ones((*matrix.shape[:-1], 1), np.float32)
    matrix = matrix.copy()
    for _ in range(_ROUNDS):
        weights = np.linalg.solve(matrix, ones)[..., 0]
        negative = weights < 0
        if not negative.any():
            break
        matrix[..., here, here] += np.where(negative, _EXCLUDED, 0)
    weights = np.maximum(weights, 0)
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True), np.float32)


class Offsets(NamedTuple):
    """What remains after the blend of models, by direction and by hour of the day."""

    sectors: Floats
    day_parts: Floats
    common: Floats
    # The last measurement minus Best, and its time in hours; it counts for the next hours.
    pull: Floats
    pulled_at: Floats


def offsets(state: State) -> Offsets:
    def mean(sums: Floats) -> Floats:
        return np.asarray(sums[:, 1] / (sums[:, 0] + _SECTOR_HOURS), np.float32)

    nothing = np.zeros(state.stations, np.float32)
    return Offsets(
        mean(state.sectors),
        mean(state.day_parts),
        _common(state),
        nothing,
        nothing,
    )


def _common(state: State) -> Floats:
    """Return the error of the last days as far as it is larger than chance."""
    count, total = state.common[:, 0], state.common[:, 1]
    mean = total / np.maximum(count, 1)
    hours, squares = state.spread[:, 0].sum(axis=1), state.spread[:, 1].sum(axis=1)
    deviation = np.sqrt(squares / np.maximum(hours, 1))
    # Errors of six hours in a row are one error.
    chance = 2 * deviation / np.sqrt(np.maximum(count / 6, 1))
    left = np.sign(mean) * np.maximum(np.abs(mean) - chance, 0)
    return np.asarray(np.where(count > 12, left, 0), np.float32)
