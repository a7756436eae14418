"""Sums of the errors of forecasts, from which the results of any period are computed."""

import zlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from quartet.wind.blend.distribution import share_below, standard_quantiles
from quartet.wind.grid.arrays import Doubles, Floats
from quartet.wind.ranking.types import BUCKETS
from quartet.wind.verification.issued import HOURS, IssuedHours

# Knots whose announced probability is compared with what was measured.
THRESHOLDS = (10, 15, 20)
BINS = 10
# Parts of a distribution whose quantiles its CRPS is computed from.
_PARTS = 20
_LEVELS: Doubles = (np.arange(_PARTS) + 0.5) / _PARTS
_HOUR = 3600
# A displayed wind is rounded to tenths.
_ROUNDING = 0.05


class Sums(NamedTuple):
    """Sums by lead time.

    errors: (lead, forecast, 5), Best first: count, absolute, signed and squared errors, and the
            absolute errors of Best in the same hours
    crps:   (lead,)
    bins:   (lead, threshold, bin, 3): count, announced probabilities, how often it came true
    """

    errors: Floats
    crps: Floats
    bins: Floats

    @classmethod
    def empty(cls, models: int) -> "Sums":
        leads = len(BUCKETS)
        return cls(
            np.zeros((leads, models + 1, 5), np.float32),
            np.zeros(leads, np.float32),
            np.zeros((leads, len(THRESHOLDS), BINS, 3), np.float32),
        )

    def add(self, other: "Sums") -> None:
        for mine, theirs in zip(self, other, strict=True):
            mine += theirs


def pack(sums: Sums) -> bytes:
    numbers = np.concatenate([part.ravel() for part in sums])
    return zlib.compress(numbers.astype("<f4").tobytes())


def unpack(stored: bytes, models: int) -> Sums:
    numbers, empty, start = np.frombuffer(zlib.decompress(stored), "<f4"), Sums.empty(models), 0
    for part in empty:
        part[:] = numbers[start : start + part.size].reshape(part.shape)
        start += part.size
    return empty


def total(rows: Iterable[tuple[Sequence[str], bytes]], models: Sequence[str]) -> Sums:
    """Add stored sums, whose models may differ."""
    found = Sums.empty(len(models))
    for names, stored in rows:
        sums = unpack(stored, len(names))
        known = [number for number, name in enumerate(names) if name in models]
        here = [0, *(1 + models.index(names[number]) for number in known)]
        found.errors[:, here] += sums.errors[:, [0, *(1 + number for number in known)]]
        found.crps[:] += sums.crps
        found.bins[:] += sums.bins
    return found


def sums_of_day(
    forecasts: Sequence[tuple[int, IssuedHours]], models: int, day: int, measured: Floats
) -> Sums:
    """Compare the 24 measured hours of a day with all forecasts issued for them."""
    sums = Sums.empty(models)
    for issued, hours in forecasts:
        first = (day - issued) // _HOUR
        for lead, (start, end) in enumerate(BUCKETS):
            # The hour between two ranges belongs to the earlier one; the hour of issue to none.
            low, high = max(start + 1, first), min(end + 1, first + 24, HOURS)
            if low < high:
                _add(sums, lead, hours, slice(low, high), measured[low - first : high - first])
    return sums


def _add(sums: Sums, lead: int, hours: IssuedHours, near: slice, measured: Floats) -> None:
    known = ~np.isnan(measured) & ~np.isnan(hours.wind[near])
    if not known.any():
        return
    truth = measured[known].astype(np.float64)
    wind, deviation = hours.wind[near][known], hours.deviation[near][known]
    forecast = np.vstack((wind, hours.models_wind[:, near][:, known]))
    error = forecast - truth
    has = ~np.isnan(error)
    error = np.where(has, error, 0)
    absolute = np.abs(error)
    parts = (has, absolute, error, error * error, np.where(has, absolute[0], 0))
    sums.errors[lead] += np.stack([part.sum(axis=1) for part in parts], axis=1)
    standard = standard_quantiles(hours.shares, _LEVELS)
    quantiles = np.maximum(wind + deviation * standard[:, None], 0)
    sums.crps[lead] += _crps(quantiles, truth).sum()
    for number, threshold in enumerate(THRESHOLDS):
        limit = threshold - _ROUNDING
        chance = 1 - share_below(hours.shares, (limit - wind) / deviation)
        place = np.minimum((chance * BINS).astype(np.intp), BINS - 1)
        row = np.stack((np.ones(len(truth)), chance, truth >= limit), axis=1)
        np.add.at(sums.bins[lead, number], place, row)


def _crps(quantiles: Doubles, truth: Doubles) -> Doubles:
    """Return the CRPS of distributions given by their quantiles, shaped (part, hour)."""
    error = truth - quantiles
    pinball = np.where(error >= 0, _LEVELS[:, None] * error, (_LEVELS[:, None] - 1) * error)
    return np.asarray(2 * pinball.mean(axis=0), np.float64)
