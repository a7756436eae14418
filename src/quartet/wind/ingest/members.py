"""Reduce the members of an ensemble to quantiles of the wind speed, in a worker process."""

from collections import defaultdict

import numpy as np

from quartet.wind.grid.arrays import Floats, Int16s
from quartet.wind.grid.layout import ENSEMBLE_SHARES, NO_DATA, Header
from quartet.wind.grid.steps import write_step
from quartet.wind.ingest.fields import Parameter, store_speed
from quartet.wind.ingest.pieces import blamed, tolerated, wanted_fields
from quartet.wind.ingest.types import StoreJob
from quartet.wind.ingest.unpacking import U, V, near_ground, on_grid
from quartet.wind.models.grib import read_field, read_head
from quartet.wind.models.members import LEAST_MEMBERS
from quartet.wind.models.refused import Refused
from quartet.wind.models.sections import RawField

# Points at a time: all members of them fit the cache of a core.
_CHUNK_POINTS = 16_384

# The components of a member, each with the number of the file that holds it.
_Components = dict[Parameter, tuple[int, RawField]]


def store(job: StoreJob) -> tuple[int, ...]:
    """Store the quantiles of one step; bad members are left out if the job is lenient."""
    (step,) = job.steps
    rows: list[Int16s] = []
    for components in _by_member(job, step).values():
        if components.keys() == {U, V}:
            with tolerated(job.lenient):
                rows.append(_speed(components, job.header))
    if len(rows) < LEAST_MEMBERS:
        raise Refused("missing_field")
    write_step(job.folder, job.header, step, quantiles(rows))
    return job.steps


def _by_member(job: StoreJob, step: int) -> dict[int, _Components]:
    found: dict[int, _Components] = defaultdict(dict)
    for piece, raw in wanted_fields(job.fetched, (U, V), lenient=job.lenient):
        with tolerated(job.lenient), blamed(piece):
            head = read_head(raw)
            if head.run != job.header.run:
                raise Refused("wrong_run")
            if head.step_minutes == step * 60 and near_ground(head):
                found[job.fetched.members[piece]][head.parameter] = piece, raw
    return found


def _speed(components: _Components, header: Header) -> Int16s:
    values: list[Floats] = []
    for piece, raw in components.values():
        with blamed(piece):
            values.append(on_grid(read_field(raw), header))
    row = np.empty(header.points, np.int16)
    store_speed(np.hypot(*values), row)
    return row


def quantiles(members: list[Int16s]) -> Int16s:
    """Return a row for each share; a point that a member lacks has no data."""
    points = len(members[0])
    rows = np.empty((len(ENSEMBLE_SHARES), points), np.int16)
    for first in range(0, points, _CHUNK_POINTS):
        some = slice(first, first + _CHUNK_POINTS)
        ordered = np.sort(np.stack([member[some] for member in members]), axis=0)
        for row, share in zip(rows, ENSEMBLE_SHARES, strict=True):
            row[some] = _at_share(ordered, share)
        # The number for no data is the lowest of all.
        rows[:, some][:, ordered[0] == NO_DATA] = NO_DATA
    return rows


def _at_share(ordered: Int16s, share: float) -> Floats:
    """Interpolate between members; each stands for the middle of an equal part."""
    place = min(max(share * len(ordered) - 0.5, 0), len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    lower = ordered[low].astype(np.float32)
    return np.asarray(np.rint(lower + (ordered[high] - lower) * (place - low)), np.float32)
