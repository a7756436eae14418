"""Turn learnt sums into the corrections and weights of the models.

Everything is shrunk as far as there are few samples: the bias and slope of a lead time towards
those of all lead times, these towards no correction, and the skill of a model at a lead time
towards that at all lead times, this towards its skill at other stations, and that towards equal
weights.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quartet.wind.blend.distribution import MEAN_TO_DEVIATION
from quartet.wind.blend.levels import level_means
from quartet.wind.blend.state import LEAD_ENDS, LEADS, State
from quartet.wind.grid.arrays import Doubles, Floats

# Hours of samples at which an estimate counts as much as what it is shrunk to. Neighbouring hours
# have similar errors, so these are days rather than hours.
_BIAS_HOURS = 12.0
_SLOPE_HOURS = 120.0
# The first weighted means are of models that are not calibrated yet, with a bias more than a slope.
_MIXTURE_CAUTION, _MIXTURE_SLOPE_CAUTION = 8.0, 4.0
_SKILL_HOURS = 4.0
_NETWORK_HOURS = 100.0
_LEAD_HOURS = 96.0
# Squared errors of a model as a multiple of those of all models.
_RATIOS = (0.005, 20.0)
_CORRELATION_HOURS = 150.0
_SECTOR_HOURS = 60.0
# The errors of this many consecutive hours count as one error.
_ALIKE_HOURS = 6.0
# Errors of long lead times last for days, so that hours say less about them.
_LEAD_CAUTION: Floats = np.linspace(1, 6, LEADS, dtype=np.float32)[None, :, None]
# Errors grow with the lead time, so that those of short ones say more about a model.
_LEAD_PRECISION: Floats = np.asarray(1 / (0.35 + 0.65 * np.array(LEAD_ENDS) / 24), np.float32)[
    None, :, None
]
# The variance of wind speed that a slope needs, in squared knots.
_WIND_VARIANCE = 9.0
# The variance of a calibrated model without any pairs, in squared knots.
_USUAL_VARIANCE = 9.0
_LEAST_VARIANCE = 0.05
_USUAL_CORRELATION = 0.5
# Models share errors of the measurement; without this limit weights become extreme.
_MOST_CORRELATION = 0.95
# Rounds in which models with negative weights are taken out.
_ROUNDS = 4
_EXCLUDED = np.float32(1e6)
# Every model takes over at least this share of the weight of missing ones, by its accuracy.
LEAST_SHARE = 1e-3
# Squared error of a weighted mean compared with that of the best model, with some rounding.
_WORST_MEAN = 1.001
# Shares of the hours of a lead class that a model needs to count there, and to last.
_REACHING, _LASTING = 0.02, 0.6


class Coefficients(NamedTuple):
    """Of every station, lead class and model: calibrated wind = `offset` + `slope` * forecast."""

    offset: Floats
    slope: Floats
    weight: Floats
    # Weights without the models that lack most hours of a lead class.
    lasting: Floats
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
    mixture_offset, mixture_slope = _lines(state.mixture, _MIXTURE_CAUTION, _MIXTURE_SLOPE_CAUTION)
    variance = _variances(state)
    return Coefficients(
        offset,
        slope,
        *weights_of(state, variance),
        variance,
        np.array(state.calibration[:, 0]),
        mixture_offset[..., 0],
        mixture_slope[..., 0],
    )


def _lines(
    sums: Floats, bias_caution: float = 1.0, slope_caution: float = 1.0
) -> tuple[Floats, Floats]:
    """Return offset and slope of a regression, from sums shaped (station, 5, lead class, model)."""
    count, forecast, measured, squares, products = np.moveaxis(sums, 1, 0)
    some = np.maximum(count, 1e-6)
    mean, right = forecast / some, measured / some
    spread = np.maximum(squares / some - mean * mean, 0)
    together = products / some - mean * right
    # Hours are counted once per lead time; samples of several lead times are not independent.
    hours = count.sum(axis=1, keepdims=True) / np.maximum((count > 0).sum(axis=1, keepdims=True), 1)
    all_bias = (_LEAD_PRECISION * (measured - forecast)).sum(axis=1, keepdims=True) / np.maximum(
        (_LEAD_PRECISION * count).sum(axis=1, keepdims=True), 1e-6
    )
    bias_hours = bias_caution * _LEAD_CAUTION * _BIAS_HOURS
    all_bias = all_bias * hours / (hours + bias_hours[:, :1] / 2)
    bias = (count * (right - mean) + bias_hours * all_bias) / (count + bias_hours)
    known = slope_caution * _LEAD_CAUTION * _SLOPE_HOURS * _WIND_VARIANCE
    usual = known[:, :1]
    precise = _LEAD_PRECISION * count
    all_slope = ((precise * together).mean(axis=1, keepdims=True) + usual) / (
        (precise * spread).mean(axis=1, keepdims=True) + usual
    )
    slope = (count * together + known * all_slope) / (count * spread + known)
    slope = np.clip(slope, 0.3, 2.0)
    return mean * (1 - slope) + bias, slope


def _variances(state: State) -> Floats:
    """Return squared errors, shrunk towards those of all models at this lead time."""
    count, squares = state.errors[:, 0], state.errors[:, 1]
    usual = _usual_squares(state)
    others, total = state.network[:, :1], state.network[:, 1:]
    hours, own = _skill(state, usual)
    # The skill at other stations counts as some more hours of measurements.
    prior = _SKILL_HOURS + _NETWORK_HOURS * others / (others + 1)
    skill = (hours * own + prior * total / (others + 1)) / (hours + prior)
    here = np.log(np.maximum(squares / np.maximum(count, 1e-6) / usual, _RATIOS[0]))
    found = (count * here + _LEAD_HOURS * skill) / (count + _LEAD_HOURS)
    return np.asarray(np.maximum(usual * np.exp(found), _LEAST_VARIANCE), np.float32)


def _usual_squares(state: State) -> Floats:
    """Return the squared error of all models at each lead time."""
    count, squares = state.errors[:, 0], state.errors[:, 1]
    total = count.sum(axis=2, keepdims=True)
    return np.asarray((squares.sum(axis=2, keepdims=True) + _USUAL_VARIANCE) / (total + 1))


def _skill(state: State, usual: Floats) -> tuple[Floats, Floats]:
    """Return the hours of each model, and its skill at all lead times.

    That is the logarithm of the ratio of its squared errors to those of all models, because a model
    that is many times better than the others is soon trusted.
    """
    count, squares = state.errors[:, 0], state.errors[:, 1]
    ratio = (squares / np.maximum(usual, 1e-6)).sum(axis=1, keepdims=True)
    all_count = count.sum(axis=1, keepdims=True)
    hours = all_count / np.maximum((count > 0).sum(axis=1, keepdims=True), 1)
    mean_ratio = np.clip(ratio / np.maximum(all_count, 1e-6), *_RATIOS)
    return hours, np.where(all_count > 0, np.log(mean_ratio), 0)


def share_skill(state: State) -> None:
    """Tell every station how skilled the models are at the other ones."""
    hours, skill = _skill(state, _usual_squares(state))
    known = (hours / (hours + _SKILL_HOURS))[:, 0]
    shared = np.stack((known, known * skill[:, 0]), axis=1)
    state.network[:] = shared.sum(axis=0) - shared


def weights_of(state: State, variance: Floats) -> tuple[Floats, Floats]:
    """Return weights of the least expected squared error, none of them negative.

    The first are of the models that reach a lead class, the second of those that have most of its
    hours.
    """
    correlation = _correlation(state)
    hours = state.errors[:, 0]
    most = hours.max(axis=2, keepdims=True)
    reaching = solve_weights(_covariance(correlation, variance, hours > _REACHING * most))
    partly = (hours <= _LASTING * most) & (hours > _REACHING * most)
    if not partly.any():
        return reaching, reaching
    lasting = reaching.copy()
    here = partly.any(axis=2)
    lasting[here] = solve_weights(_covariance(correlation, variance, hours > _LASTING * most)[here])
    return reaching, lasting


def _correlation(state: State) -> Floats:
    models = np.arange(state.models)
    counts = state.counts
    estimate = state.products / np.maximum(counts, 1e-6)
    # Errors were standardised with what was known at their time, which was not exact.
    size = np.sqrt(np.maximum(estimate[:, models, models], 1e-3))
    estimate = estimate / size[:, None] / size[..., None]
    trust = counts / (counts + _CORRELATION_HOURS)
    correlation = trust * estimate + (1 - trust) * _USUAL_CORRELATION
    correlation = np.clip(correlation, 0, _MOST_CORRELATION)
    correlation[:, models, models] = 1
    return np.asarray(correlation, np.float32)


def _covariance(correlation: Floats, variance: Floats, used: NDArray[np.bool_]) -> Floats:
    """Return matrices shaped (station, lead class, model, model); models that are not used count
    as very bad ones, unless none is.
    """
    used |= ~used.any(axis=2, keepdims=True)
    error = np.sqrt(np.where(used, variance, _EXCLUDED))
    matrix = correlation[:, None] * error[..., None] * error[..., None, :]
    both = used[..., None] & used[..., None, :]
    diagonal = np.eye(variance.shape[-1], dtype=np.bool_)
    return np.asarray(np.where(both | diagonal, matrix, 0), np.float32)


def solve_weights(matrix: Floats | Doubles) -> Floats:
    here = np.arange(matrix.shape[-1])
    squares = matrix[..., here, here].astype(np.float64)
    # Errors of very different sizes need more digits.
    whole = matrix.astype(np.float64)
    matrix = whole.copy()
    ones = np.ones((*matrix.shape[:-1], 1))
    for _ in range(_ROUNDS):
        weights = np.linalg.solve(matrix, ones)[..., 0]
        negative = weights < 0
        if not negative.any():
            break
        matrix[..., here, here] += np.where(negative, _EXCLUDED, 0)
    weights = np.maximum(weights, 0)
    weights = weights / np.maximum(weights.sum(axis=-1, keepdims=True), 1e-9)
    # Estimated correlations may contradict each other. A mean that would be worse than the best
    # model is a sign of it.
    expected = ((whole @ weights[..., None])[..., 0] * weights).sum(axis=-1)
    right = (expected > 0) & (expected <= squares.min(axis=-1) * _WORST_MEAN)
    precise = squares.min(axis=-1, keepdims=True) ** 2 / squares**2
    weights = np.where(right[..., None], weights, precise)
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True), np.float32)


def passed_on(found: Coefficients, known: NDArray[np.bool_]) -> Floats:
    """Return weights of sum 1: what missing models lack goes to those that last."""
    weight = np.where(known, found.weight, 0)
    lasting = np.where(known, found.lasting + LEAST_SHARE / found.variance**2, 0)
    share = lasting / np.maximum(lasting.sum(axis=2, keepdims=True), 1e-9)
    return np.asarray(weight + (1 - weight.sum(axis=2, keepdims=True)) * share, np.float32)


class Offsets(NamedTuple):
    """What remains after the blend of models, by direction, hour of the day and wind speed."""

    sectors: Floats
    day_parts: Floats
    common: Floats
    # The last measurement minus Best, and its time in hours; it counts for the next hours.
    pull: Floats
    pulled_at: Floats
    # See `level_offset`.
    levels: Floats


def offsets(state: State) -> Offsets:
    deviation = _deviation(state)[:, None]

    def mean(sums: Floats) -> Floats:
        """Return means as far as they are larger than chance."""
        count = sums[:, 0]
        chance = deviation / np.sqrt(np.maximum(count / _ALIKE_HOURS, 1))
        return _beyond(sums[:, 1] / (count + _SECTOR_HOURS), chance / 2)

    nothing = np.zeros(state.stations, np.float32)
    return Offsets(
        mean(state.sectors),
        mean(state.day_parts),
        _common(state),
        nothing,
        nothing,
        level_means(state),
    )


def _common(state: State) -> Floats:
    """Return the error of the last days as far as it is larger than chance."""
    count, total = state.common[:, 0], state.common[:, 1]
    mean = total / np.maximum(count, 1)
    chance = 2 * _deviation(state) / np.sqrt(np.maximum(count / _ALIKE_HOURS, 1))
    return np.asarray(np.where(count > 12, _beyond(mean, chance), 0), np.float32)


def _deviation(state: State) -> Floats:
    """Return the error of the blend at all lead times."""
    hours, absolute = state.spread[:, 0].sum(axis=1), state.spread[:, 1].sum(axis=1)
    return np.asarray(MEAN_TO_DEVIATION * absolute / np.maximum(hours, 1), np.float32)


def _beyond(mean: Floats | Doubles, chance: Floats | Doubles) -> Floats:
    return np.asarray(np.sign(mean) * np.maximum(np.abs(mean) - chance, 0), np.float32)
