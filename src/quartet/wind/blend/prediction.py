"""Blend the forecasts of all models for several places."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quartet.wind.blend.calibration import LEAST_SHARE, Coefficients, Offsets
from quartet.wind.blend.distribution import factor_of, share_below, standard_quantile
from quartet.wind.blend.learning import Learnt
from quartet.wind.blend.levels import level_offset
from quartet.wind.blend.spreads import Spreads, calibrated, fade_of
from quartet.wind.blend.state import LEAD_ENDS, LEADS, day_part, lead_class, sector_of
from quartet.wind.grid.arrays import Doubles, Floats

_HOUR = 3600
# The lead times that the classes stand for.
_MIDDLES = [(start + end) / 2 for start, end in zip((0, *LEAD_ENDS), LEAD_ENDS, strict=False)]
# When a forecast ends, the difference between it and the others fades out over this many hours, so
# that the blend does not jump. Until then the model counts in full, since it may be the best one.
_FADE_HOURS = 4
# Hours in which the last measurement loses its influence.
_NOWCAST_HOURS = 3.0
# Errors of later hours are not stored; they grow with the root of the lead time.
_LAST_LEAD = LEAD_ENDS[-1]


class ModelWinds(NamedTuple):
    """What the models forecast, in knots, shaped (model, place, hour); NaN for nothing."""

    first: int
    u: Floats
    v: Floats
    gust: Floats
    # Hours since the start of the run, and to the end of the forecast; shaped (model, hour).
    lead: Floats
    left: Floats
    # What the ensembles say about how certain it is.
    spreads: Spreads | None = None

    @property
    def hours(self) -> int:
        return int(self.u.shape[2])


class Best(NamedTuple):
    """The blend in knots, shaped (place, hour); NaN where no model has a value."""

    first: int
    wind: Floats
    gust: Floats
    u: Floats
    v: Floats
    # Standard deviation of the error.
    deviation: Floats
    # The share of each model, shaped (model, place, hour).
    weight: Floats


class _Classes(NamedTuple):
    """The lead classes around a lead time, and how much the later one counts."""

    before: NDArray[np.intp]
    after: NDArray[np.intp]
    share: Floats


def blend_places(winds: ModelWinds, learnt: Learnt) -> Best:
    found = learnt.coefficients
    speed = np.hypot(winds.u, winds.v)
    known = ~np.isnan(speed)
    beyond = _beyond_end(winds, known)
    classes = _classes(winds.lead, beyond)
    offset, slope, weight, lasting = (
        _at_leads(each, classes)
        for each in (found.offset, found.slope, found.weight, found.lasting)
    )
    others = lasting + LEAST_SHARE / _at_leads(found.variance, classes) ** 2
    weight = _shares(weight, others, known)
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = np.stack((offset + slope * speed, winds.u, winds.v))
        mixture, u, v = _sum(weight, parts) + _carried(weight, others, known, winds.left, parts)
        mixture = np.where(known.any(axis=0), mixture, np.nan)
    newest = np.min(np.where(np.isnan(winds.lead), np.inf, winds.lead), axis=0, initial=1e3)
    line = _classes(newest[None], beyond)
    base = (
        _at_leads(found.mixture_offset[..., None], line)[0]
        + _at_leads(found.mixture_slope[..., None], line)[0] * mixture
    )
    wind = np.maximum(base + _more(winds, learnt.offsets, u, v), 0)
    wind = np.maximum(wind + level_offset(learnt.offsets.levels, wind), 0)
    later = np.sqrt(np.maximum(newest / _LAST_LEAD, 1))
    deviation = _at_leads(learnt.deviations[..., None], line)[0] * later
    deviation = deviation * factor_of(learnt.factors, wind)
    if winds.spreads is not None:
        fade = fade_of(winds.spreads.left)
        deviation = calibrated(deviation, winds.spreads.knots, learnt.spreads, fade)
    gust = _gusts(winds, weight, speed, wind)
    length = np.maximum(np.hypot(u, v), 1e-6)
    return Best(winds.first, wind, gust, u / length * wind, v / length * wind, deviation, weight)


def _shares(weight: Floats, others: Floats, known: NDArray[np.bool_]) -> Floats:
    """Return weights of sum 1; models without a value pass theirs to the others.

    `others` are the weights by which they get it: next to the models that end, they may have none.
    """
    kept = np.where(known, weight, 0)
    kept = kept / np.maximum(kept.sum(axis=0), 1)
    others = np.where(known, others, 0)
    share = others / np.maximum(others.sum(axis=0), 1e-9)
    return np.asarray(kept + (1 - kept.sum(axis=0)) * share, np.float32)


def _carried(
    weight: Floats, others: Floats, known: NDArray[np.bool_], left: Floats, parts: Floats
) -> Floats:
    """Return how much of what ended models said is carried on, shaped like the sums."""
    hours = weight.shape[2]
    carried = np.zeros((len(parts), *weight.shape[1:]), np.float32)
    for end in np.flatnonzero((left[:, : hours - 1] == 0).any(axis=0)).tolist():
        here = slice(end, end + 1)
        lasting = known[..., here] & (left[:, None, here] > 0)
        rest = _shares(weight[..., here], others[..., here], lasting)
        full = _sum(weight[..., here], parts[..., here])
        lost = np.where(lasting.any(axis=0), full - _sum(rest, parts[..., here]), 0)
        after = min(_FADE_HOURS, hours - 1 - end)
        fade = 1 - np.arange(1, after + 1) / (_FADE_HOURS + 1)
        # An earlier end may still be carried when the next model ends.
        carried[..., end + 1 : end + 1 + after] += lost * fade
    return carried


def _sum(weight: Floats, values: Floats) -> Floats:
    return np.asarray(np.where(weight > 0, weight * values, 0).sum(axis=-3), np.float32)


def _beyond_end(winds: ModelWinds, known: NDArray[np.bool_]) -> Floats:
    """Return by how many classes an hour is nearer to one that a model does not reach.

    Such a class says nothing about the model, and its weights are those of the others without it.
    """
    last = lead_class(np.nan_to_num(winds.lead + winds.left))
    beyond = np.where(known.any(axis=1), _place(winds.lead) - last, 0)
    return np.asarray(np.nan_to_num(beyond).max(axis=0, initial=0), np.float32)


def _place(lead: Floats) -> Doubles:
    return np.asarray(np.interp(lead, _MIDDLES, np.arange(LEADS)), np.float64)


def _classes(lead: Floats, less: Floats | float = 0.0) -> _Classes:
    place = np.maximum(_place(lead) - less, 0)
    before = np.nan_to_num(place).astype(np.intp)
    after = np.minimum(before + 1, LEADS - 1)
    return _Classes(before, after, np.asarray(np.nan_to_num(place) - before, np.float32))


def _at_leads(values: Floats, classes: _Classes) -> Floats:
    """Interpolate (place, lead class, model) to (model, place, hour)."""
    models = np.arange(values.shape[2])[:, None]
    low, high = values[:, classes.before, models], values[:, classes.after, models]
    return np.asarray((low + (high - low) * classes.share).transpose(1, 0, 2), np.float32)


def _more(winds: ModelWinds, left: Offsets, u: Floats, v: Floats) -> Floats:
    """Return the offsets of direction and hour of the day."""
    sector = sector_of(np.asarray(np.degrees(np.arctan2(-u, -v)), np.float32))
    hours = winds.first + _HOUR * np.arange(winds.hours)
    parts = np.array([day_part(int(each)) for each in hours])
    more = np.take_along_axis(left.sectors, sector, axis=1) + left.day_parts[:, parts]
    ago = hours / _HOUR - left.pulled_at[:, None]
    now = left.pull[:, None] * np.clip(1 - np.abs(ago) / _NOWCAST_HOURS, 0, 1)
    return np.asarray(more + left.common[:, None] + now, np.float32)


def _gusts(winds: ModelWinds, weight: Floats, speed: Floats, wind: Floats) -> Floats:
    """Raise the blend by the mean ratio of gust and wind in the models."""
    has_gust = ~np.isnan(winds.gust) & (weight > 0)
    gusts = np.where(has_gust, weight * winds.gust, 0).sum(axis=0)
    speeds = np.where(has_gust, weight * speed, 0).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.clip(gusts / np.maximum(speeds, 1.0), 1, 3)
    return np.asarray(np.where(has_gust.any(axis=0), wind * ratio, np.nan), np.float32)


def quantile_rows(best: Best, shares: Doubles, wanted: tuple[float, ...]) -> list[Floats]:
    """Return quantiles of the first place; `shares` as in `measured_shares`."""
    wind, deviation = best.wind[0], best.deviation[0]
    found = (standard_quantile(shares, each) for each in wanted)
    return [np.maximum(wind + deviation * each, 0) for each in found]


def chances(best: Best, shares: Doubles, least: Doubles) -> Doubles:
    """Return the probability of at least `least` knots at each place.

    Like a displayed wind, it is rounded to tenths.
    """
    standard = (least[:, None] - 0.05 - best.wind) / best.deviation
    rows = [1 - share_below(*row) for row in zip(shares, standard, strict=True)]
    return np.array(rows, np.float64).reshape(best.wind.shape)


def mix(learnts: list[Learnt], shares: list[float]) -> Learnt:
    """Return what several places have learnt, each counting as much as its share."""
    if len(learnts) == 1:
        return learnts[0]

    def mean(parts: list[Floats]) -> Floats:
        return np.asarray(
            sum(share * part for share, part in zip(shares, parts, strict=True)), np.float32
        )

    found = [
        mean(list(parts)) for parts in zip(*(each.coefficients for each in learnts), strict=True)
    ]
    left = [mean(list(parts)) for parts in zip(*(each.offsets for each in learnts), strict=True)]
    return Learnt(
        Coefficients(*found),
        Offsets(*left),
        mean([each.deviations for each in learnts]),
        mean([each.factors for each in learnts]),
        mean([each.spreads for each in learnts]),
    )


def stack(learnts: list[Learnt]) -> Learnt:
    """Join what was learnt about single places into one table."""

    def rows(parts: tuple[Floats, ...]) -> Floats:
        return np.concatenate(parts)

    found = (rows(parts) for parts in zip(*(each.coefficients for each in learnts), strict=True))
    left = (rows(parts) for parts in zip(*(each.offsets for each in learnts), strict=True))
    return Learnt(
        Coefficients(*found),
        Offsets(*left),
        rows(tuple(each.deviations for each in learnts)),
        rows(tuple(each.factors for each in learnts)),
        rows(tuple(each.spreads for each in learnts)),
    )
