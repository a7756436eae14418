"""Compact storage of what Best and all models said at a time."""

import zlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from quartet.wind.blend.prediction import Best, ModelWinds
from quartet.wind.blend.state import PIT_BINS
from quartet.wind.grid.arrays import Doubles, Floats
from quartet.wind.verification.store import Issued

# The hour of issue and the 72 hours after it.
HOURS = 73
_HOUR = 3600
_MISSING = -1
_EDGES = PIT_BINS + 1
# Shares are stored in parts of this, and deviations in hundredths of a knot.
_WHOLE = 30_000
_BEST_ROWS = 3


class IssuedHours(NamedTuple):
    """Knots and degrees; the last axis is the hour, and NaN stands for nothing."""

    wind: Doubles
    direction: Doubles
    # Standard deviation of Best's error, and how many measurements were below each part of it.
    deviation: Doubles
    shares: Doubles
    # Shaped (model, hour).
    models_wind: Doubles
    models_direction: Doubles


def pack(winds: ModelWinds, best: Best, shares: Doubles, place: int = 0) -> bytes:
    """Return a place's forecast for the first `HOURS` hours."""
    near = slice(0, HOURS)
    rows = [
        10 * best.wind[place, near],
        _direction(best.u[place, near], best.v[place, near]),
        100 * best.deviation[place, near],
    ]
    for u, v in zip(winds.u[:, place, near], winds.v[:, place, near], strict=True):
        rows += [10 * np.hypot(u, v), _direction(u, v)]
    hours = np.stack(rows)
    whole = np.where(np.isnan(hours), _MISSING, np.rint(np.clip(hours, 0, 32_000)))
    packed = np.concatenate((np.rint(shares * _WHOLE), whole.ravel())).astype("<i2")
    return zlib.compress(packed.tobytes())


def _direction(u: Floats, v: Floats) -> Floats:
    return np.asarray(np.degrees(np.arctan2(-u, -v)) % 360, np.float32)


def unpack(stored: bytes) -> IssuedHours:
    numbers = np.frombuffer(zlib.decompress(stored), "<i2").astype(np.float64)
    rows = numbers[_EDGES:].reshape(-1, HOURS)
    rows[rows == _MISSING] = np.nan
    models = rows[_BEST_ROWS:]
    return IssuedHours(
        rows[0] / 10,
        rows[1] % 360,
        rows[2] / 100,
        numbers[:_EDGES] / _WHOLE,
        models[0::2] / 10,
        models[1::2] % 360,
    )


def row_of(
    station: int,
    models: Sequence[str],
    winds: ModelWinds,
    best: Best,
    shares: Doubles,
    place: int = 0,
) -> Issued | None:
    """Return what is stored, or None if no model covers the place."""
    if np.isnan(best.wind[place]).all():
        return None
    return Issued(station, winds.first, ",".join(models), pack(winds, best, shares, place))
