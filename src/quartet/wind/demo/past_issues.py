"""What Best would have said on the last days of the demo, hour by hour.

Each forecast only knows the measurements before it, so the verification of the demo is as honest
as that of a real site.
"""

from collections.abc import Sequence

import numpy as np

from quartet.wind.blend.distribution import measured_shares
from quartet.wind.blend.learning import derive, learn
from quartet.wind.blend.pairs import Pairs
from quartet.wind.blend.prediction import ModelWinds, blend_places
from quartet.wind.blend.spreads import Spreads
from quartet.wind.blend.state import ENSEMBLES, State
from quartet.wind.demo.measurements import StationPoints, measured
from quartet.wind.grid.arrays import Floats
from quartet.wind.ranking.hours import LEADS
from quartet.wind.ranking.store import Kept
from quartet.wind.verification.issued import HOURS, row_of
from quartet.wind.verification.store import Issued

_HOUR = 3600
# A run is complete six hours after its start; forecasts are issued then.
_RUN_AGE = 6


def past_issues(
    spots: StationPoints,
    models: Sequence[str],
    rows: Sequence[Kept],
    now: int,
    ensembles: Sequence[str] = (),
    since: int = 0,
) -> list[Issued]:
    """Follow the runs of the last days; return the forecasts issued six hours after each one.

    What is before `since` is only learnt from.
    """
    stations = [station.id for station in spots.stations]
    pairs = Pairs(stations, models, rows, ensembles)
    state, found = State(len(stations), len(models)), list[Issued]()
    starts = {run + _RUN_AGE * _HOUR: number for number, run in enumerate(pairs.runs)}
    first = min(pairs.runs, default=now)
    for number, time in enumerate(range(first, now, _HOUR)):
        if number % _RUN_AGE == 0:
            learnt, shares = derive(state), measured_shares(state)
        if time in starts and time >= since:
            winds = _model_winds(pairs, starts[time], time)
            best = blend_places(winds, learnt)
            issued = (
                row_of(station, models, winds, best, shares[place], place)
                for place, station in enumerate(stations)
            )
            found += [row for row in issued if row is not None]
        learn(state, pairs.hour(time, _measured(spots, time)), learnt)
    return found


def _model_winds(pairs: Pairs, number: int, time: int) -> ModelWinds:
    """Return the hours of a run that are left; its last ones are missing."""
    shape = (pairs.u.shape[2], pairs.u.shape[1], HOURS)
    u, v = np.full(shape, np.nan, np.float32), np.full(shape, np.nan, np.float32)
    left = LEADS - _RUN_AGE
    # The pairs have the direction the wind comes from.
    u[..., :left] = -pairs.u[number, ..., _RUN_AGE:].transpose(1, 0, 2)
    v[..., :left] = -pairs.v[number, ..., _RUN_AGE:].transpose(1, 0, 2)
    lead = np.broadcast_to(np.arange(HOURS, dtype=np.float32) + _RUN_AGE, (shape[0], HOURS))
    known = ~np.isnan(u).all(axis=1)
    ends = np.where(known, np.arange(HOURS), 0).max(axis=1, keepdims=True)
    gust = np.full(shape, np.nan, np.float32)
    left_hours = (ends - np.arange(HOURS)).astype(np.float32)
    return ModelWinds(time, u, v, gust, lead, left_hours, _spreads(pairs, number))


def _spreads(pairs: Pairs, number: int) -> Spreads | None:
    if pairs.spreads is None:
        return None
    stored = pairs.spreads[number, ..., _RUN_AGE:]
    # As many as were learnt from.
    shape = (ENSEMBLES, stored.shape[0], HOURS)
    knots, left = np.full(shape, np.nan, np.float32), np.zeros(shape[::2], np.float32)
    knots[: stored.shape[1], :, : stored.shape[2]] = stored.transpose(1, 0, 2)
    known = ~np.isnan(knots).all(axis=1)
    ends = np.where(known, np.arange(HOURS), 0).max(axis=1, keepdims=True)
    left[:] = np.maximum(ends - np.arange(HOURS), 0)
    return Spreads(knots, left)


def _measured(spots: StationPoints, time: int) -> Floats:
    return np.array([each.wind for _, each in measured(spots, time)], np.float32)
