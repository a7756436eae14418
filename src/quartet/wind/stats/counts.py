"""Histograms of hours by month, hour of day and speed, which can be added across years."""

import zlib
from collections.abc import Iterable
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from quartet.wind.stats.types import SECTORS, THRESHOLDS, Hour, Month

# Bins of one knot; the last one includes all higher speeds.
_SPEEDS = 101
_SHAPE = (12, 24, _SPEEDS)
_ROSE_SHAPE = (12, SECTORS)
_SIZE = int(np.prod(_SHAPE))

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
    rose = np.bincount(months[known] * SECTORS + sectors, minlength=12 * SECTORS)
    return zlib.compress(np.concatenate([speed_counts, rose]).astype("<i4").tobytes())


def _offsets(times: Integers, timezone: str) -> Integers:
    """Return the UTC offset in seconds, determined once per day."""
    zone = ZoneInfo(timezone)
    days, which = np.unique(times // 86400, return_inverse=True)
    noons = (datetime.fromtimestamp(int(day) * 86400 + 43200, UTC) for day in days)
    ahead = [noon.astimezone(zone).utcoffset() for noon in noons]
    return np.array([each.total_seconds() if each else 0 for each in ahead], np.int64)[which]


def sum_years(years: Iterable[bytes]) -> tuple[list[Month], list[Hour]]:
    total = np.zeros(_SIZE + 12 * SECTORS, np.int64)
    for year in years:
        total += np.frombuffer(zlib.decompress(year), "<i4")
    counts, rose = total[:_SIZE].reshape(_SHAPE), total[_SIZE:].reshape(_ROSE_SHAPE)
    months = [
        Month(*_spread(counts[month].sum(axis=0)), month + 1, _shares(rose[month]))
        for month in range(12)
    ]
    return months, [Hour(*_spread(counts[:, hour].sum(axis=0)), hour) for hour in range(24)]


def _spread(speeds: Integers) -> tuple[float, float, float, dict[str, float], int]:
    n = int(speeds.sum())
    if not n:
        return 0.0, 0.0, 0.0, {str(each): 0.0 for each in THRESHOLDS}, 0
    middles = np.arange(_SPEEDS) + 0.5
    over = {str(each): round(float(speeds[each:].sum() / n), 4) for each in THRESHOLDS}
    mean = round(float((speeds * middles).sum() / n), 1)
    return mean, _quantile(speeds, 0.5), _quantile(speeds, 0.9), over, n


def _quantile(speeds: Integers, share: float) -> float:
    """Return the quantile, interpolating linearly within a bin."""
    sums = np.cumsum(speeds)
    wanted = share * sums[-1]
    knot = int(np.searchsorted(sums, wanted))
    below = sums[knot - 1] if knot else 0
    return round(knot + float((wanted - below) / max(speeds[knot], 1)), 1)


def _shares(rose: Integers) -> list[float]:
    total = max(int(rose.sum()), 1)
    return [round(float(count / total), 4) for count in rose]
