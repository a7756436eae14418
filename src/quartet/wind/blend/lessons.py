"""Learning for the service: from stored rows to stored rows."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from quartet.wind.blend.distribution import measured_shares
from quartet.wind.blend.learning import Learnt, derive, learn
from quartet.wind.blend.pairs import Pairs, hours_between, measured_hours
from quartet.wind.blend.prediction import mix
from quartet.wind.blend.state import VERSION, State, row_of
from quartet.wind.blend.store import Measured, Pair, Stored
from quartet.wind.grid.arrays import Doubles

_HOUR = 3600
# Weights change slowly, so that they are computed every few hours only.
_DERIVE_HOURS = 6


class Batch(NamedTuple):
    models: list[str]
    stored: Mapping[int, Stored]
    # The hour until which each station has learnt.
    learned: Mapping[int, int]
    kept: Sequence[Pair]
    measured: Sequence[Measured]
    first: int
    last: int
    ensembles: Sequence[str] = ()


class Lesson(NamedTuple):
    """What was learnt at one station."""

    learnt: Learnt
    shares: Doubles


def learn_batch(batch: Batch) -> list[Stored]:
    """Learn all hours; return the rows of stations with measurements."""
    stations = list(batch.learned)
    state = _load(batch, stations)
    pairs = Pairs(stations, batch.models, batch.kept, batch.ensembles)
    hours = (batch.last - batch.first) // _HOUR + 1
    measured = measured_hours(stations, batch.measured, batch.first, hours)
    learned = np.array([batch.learned[each] for each in stations])
    for number, time in enumerate(hours_between(batch.first, batch.last)):
        if number % _DERIVE_HOURS == 0:
            learnt = derive(state)
        now = np.where(learned < time, measured[number], np.nan).astype(np.float32)
        if not np.isnan(now).all():
            learn(state, pairs.hour(time, now), learnt)
    names = ",".join(batch.models)
    packed = state.numbers.astype("<f4")
    return [
        Stored(station, VERSION, batch.last, names, packed[row].tobytes())
        for row, station in enumerate(stations)
    ]


def _load(batch: Batch, stations: Sequence[int]) -> State:
    state = State(len(stations), len(batch.models))
    for number, station in enumerate(stations):
        stored = batch.stored.get(station)
        row = _row(stored, batch.models) if stored is not None else None
        if row is not None:
            state.numbers[number] = row
    return state


def is_current(stored: Stored, models: Sequence[str]) -> bool:
    """Return whether learning can continue; otherwise it starts again with the stored forecasts."""
    return _row(stored, models) is not None


def _row(
    stored: Stored, models: Sequence[str]
) -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]] | None":
    if stored.version != VERSION:
        return None
    return row_of(stored.numbers, stored.models.split(","), models)


def lesson_of(stored: Stored, models: Sequence[str]) -> Lesson | None:
    row = _row(stored, models)
    if row is None:
        return None
    state = State(1, len(models), row[None])
    if not state.calibration[:, 0].any():
        return None
    return Lesson(derive(state), measured_shares(state)[0])


@lru_cache(maxsize=4)
def _untaught(models: int) -> Lesson:
    state = State(1, models)
    return Lesson(derive(state), measured_shares(state)[0])


def combine(models: Sequence[str], parts: Sequence[tuple[Lesson, float]]) -> Lesson:
    """Mix what stations have learnt; the rest of the shares is the plain blend."""
    rest = 1 - sum(share for _, share in parts)
    found = list(parts)
    if rest > 1e-6:
        found.append((_untaught(len(models)), rest))
    shares = [share for _, share in found]
    learnt = mix([lesson.learnt for lesson, _ in found], shares)
    below = sum(share * lesson.shares for lesson, share in found)
    return Lesson(learnt, np.asarray(below, np.float64))
