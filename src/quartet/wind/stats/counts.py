"""Histograms of hours by month, hour of day and speed, which can be added across years."""

import zlib
from collections.abc import Iterable
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from quartet.wind.stats.types import SECTORS, THRESHOLDS, HourOfDay, Month

# Bins of one knot; the last one includes all higher speeds.
_SPEEDS = 101
_SHAPE = (12, 24, _SPEEDS)
_ROSE_SHAPE = (12, SECTORS)
_FORCE_SHAPE = (12, SECTORS, len(THRESHOLDS) + 1)
_SIZE = int(np.prod(_SHAPE))
_ROSE_SIZE = int(np.prod(_ROSE_SHAPE))
_FORCE_SIZE = int(np.prod(_FORCE_SHAPE))

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]


def count_hours(times: Integers, wind: Numbers, direction: Numbers, timezone: str) -> bytes:
    """Count the hours of one year; wind in knots, unknown directions are NaN."""
    local = times + _offsets(times, timezone)
    months = local.astype("datetime64[s]").astype("datetime64[M]").astype(np.int64) % 12
    hours = local // 3600 % 24
    speeds = np.clip(np.floor(wind), 0, _SPEEDS - 1).astype(np.int64)
    speed_counts = np.bincount((months * 24 + hours) * _SPEEDS + speeds, minlength=_SIZE)
    known = ~np.isnan(direction) & (wind >= 1)
    sectors = np.rint(direction[known] / (360 / SECTORS)).astype(np.int64) % SECTORS
    places = months[known] * SECTORS + sectors
    rose = np.bincount(places, minlength=_ROSE_SIZE)
    classes = np.searchsorted(THRESHOLDS, wind[known], side="right")
    forces = np.bincount(places * _FORCE_SHAPE[2] + classes, minlength=_FORCE_SIZE)
    return zlib.compress(np.concatenate([speed_counts, rose, forces]).astype("<i4").tobytes())


def has_forces(year: bytes) -> bool:
    """Return False for a year that was counted before directions were counted by force."""
    return len(zlib.decompress(year)) > 4 * (_SIZE + _ROSE_SIZE)


def _offsets(times: Integers, timezone: str) -> Integers:
    """Return the UTC offset in seconds, determined once per day."""
    zone = ZoneInfo(timezone)
    days, which = np.unique(times // 86400, return_inverse=True)
    noons = (datetime.fromtimestamp(int(day) * 86400 + 43200, UTC) for day in days)
    ahead = [noon.astimezone(zone).utcoffset() for noon in noons]
    return np.array([each.total_seconds() if each else 0 for each in ahead], np.int64)[which]


def sum_years(years: Iterable[bytes]) -> tuple[list[Month], list[HourOfDay]]:
    total = np.zeros(_SIZE + _ROSE_SIZE + _FORCE_SIZE, np.int64)
    for year in years:
        found = np.frombuffer(zlib.decompress(year), "<i4")
        total[: len(found)] += found
    speeds, roses, forces = np.split(total, [_SIZE, _SIZE + _ROSE_SIZE])
    counts, rose = speeds.reshape(_SHAPE), roses.reshape(_ROSE_SHAPE)
    by_force = forces.reshape(_FORCE_SHAPE)
    months = [
        Month(
            *_spread(counts[month].sum(axis=0)),
            month + 1,
            _shares(rose[month]),
            _force_shares(by_force[month]),
            [_mean(counts[month, hour]) for hour in range(24)],
        )
        for month in range(12)
    ]
    return months, [HourOfDay(*_spread(counts[:, hour].sum(axis=0)), hour) for hour in range(24)]


def _spread(speeds: Integers) -> tuple[float, float, float, dict[str, float], int]:
    n = int(speeds.sum())
    if not n:
        return 0.0, 0.0, 0.0, {str(each): 0.0 for each in THRESHOLDS}, 0
    over = {str(each): round(float(speeds[each:].sum() / n), 4) for each in THRESHOLDS}
    return _mean(speeds), _quantile(speeds, 0.5), _quantile(speeds, 0.9), over, n


def _mean(speeds: Integers) -> float:
    middles = np.arange(_SPEEDS) + 0.5
    return round(float((speeds * middles).sum() / max(int(speeds.sum()), 1)), 1)


def _quantile(speeds: Integers, share: float) -> float:
    """Return the quantile, interpolating linearly within a bin."""
    sums = np.cumsum(speeds)
    wanted = share * sums[-1]
    knot = int(np.searchsorted(sums, wanted))
    below = sums[knot - 1] if knot else 0
    return round(knot + float((wanted - below) / max(speeds[knot], 1)), 1)


def _shares(rose: Integers) -> list[float]:
    return _of_total(rose, max(int(rose.sum()), 1))


def _force_shares(forces: Integers) -> list[list[float]]:
    total = int(forces.sum())
    return [_of_total(row, total) for row in forces] if total else []


def _of_total(counts: Integers, total: int) -> list[float]:
    return [round(float(count / total), 4) for count in counts]
