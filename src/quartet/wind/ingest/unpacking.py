"""Unpacks, checks and stores; only worker processes load this."""

import bz2
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np

from quartet.wind.grid.arrays import Floats
from quartet.wind.grid.geometry import Area, Grid
from quartet.wind.grid.steps import write_step
from quartet.wind.ingest.cells import Table, build_table, load_table
from quartet.wind.ingest.fields import WindFields, stored
from quartet.wind.ingest.types import StoreJob
from quartet.wind.models.grib import Field, Head, read_field, read_grid, read_head
from quartet.wind.models.refused import Refused
from quartet.wind.models.sections import RawField, fields_of
from quartet.wind.models.types import Fetched

U, V, GUST, GUST_U, GUST_V = ((0, 2, number) for number in (2, 3, 22, 23, 24))
_MAX_UNPACKED = 64 * 1024 * 1024
# Programs that pack on several cores make one for every 900,000 bytes.
_MAX_STREAMS = 100

# A step and what was forecast for it.
Key = tuple[int, tuple[int, int, int]]
Found = dict[Key, Floats]


def find_grid(fetched: Fetched, area: Area | None) -> Grid:
    """The grid of the first wind field, which has to lie within the area of its model."""
    for raw in _wind_fields(fetched):
        grid = read_grid(raw)
        if grid is None or not (area or Area(-180, -90, 180, 90)).holds(grid.area, grid.step_x):
            raise Refused("wrong_grid")
        return grid
    raise Refused("missing_field")


def make_table(fetched: Fetched, path: Path) -> Grid:
    """From latitude and longitude of all cells."""
    lats, lons = (read_field(next(fields_of(_unpack(piece)))) for piece in fetched.pieces)
    return build_table(lats.values, lons.values, path)


def grid_of_table(fetched: Fetched, path: Path) -> Grid | None:
    """Nothing where there is no table for as many cells as the first wind field has."""
    table = _table(path)
    if table is None:
        return None
    for raw in _wind_fields(fetched):
        if read_field(raw).values.size == table.cells:
            return table.grid
        break
    return None


def store(job: StoreJob) -> None:
    found = _found(job)
    for step in job.steps:
        fields = _wind(found, step)
        write_step(job.folder, job.header, step, stored(fields, step))


def _found(job: StoreJob) -> Found:
    """Only what is wanted is unpacked, and that once, however often a file holds it."""
    wanted: dict[Key, RawField] = {}
    for raw in _wind_fields(job.fetched):
        head = read_head(raw)
        if head.run != job.header.run:
            raise Refused("wrong_run")
        step, rest = divmod(head.step_minutes, 60)
        if rest == 0 and step in job.steps and _near_ground(head):
            wanted[step, head.parameter] = raw
    table = _table(job.table) if job.table else None
    return {key: _on_grid(read_field(raw), job.header.grid, table) for key, raw in wanted.items()}


def _near_ground(head: Head) -> bool:
    """Ten metres; some models give gusts for the surface itself."""
    return head.height == 10 or (head.parameter == GUST and head.height is None)


def _on_grid(field: Field, grid: Grid, table: Table | None) -> Floats:
    if table is not None and field.grid is None:
        return table.apply(field.values)
    if field.grid != grid:
        raise Refused("wrong_grid")
    return field.values


def _wind(found: Found, step: int) -> WindFields:
    u, v = found.get((step, U)), found.get((step, V))
    if u is None or v is None:
        raise Refused("missing_field")
    gust = found.get((step, GUST))
    if gust is None and (step, GUST_U) in found and (step, GUST_V) in found:
        gust = np.hypot(found[step, GUST_U], found[step, GUST_V])
    return WindFields(u, v, gust)


def _wind_fields(fetched: Fetched) -> Iterator[RawField]:
    for piece in fetched.pieces:
        for raw in fields_of(_unpack(piece) if fetched.bz2 else piece):
            if raw.parameter in (U, V, GUST, GUST_U, GUST_V):
                yield raw


def _unpack(data: bytes) -> bytes:
    """Stops when it becomes more than any field could be."""
    unpacked = b""
    for _ in range(_MAX_STREAMS):
        if not data:
            return unpacked
        stream = bz2.BZ2Decompressor()
        try:
            unpacked += stream.decompress(data, _MAX_UNPACKED + 1 - len(unpacked))
        except OSError:
            raise Refused("not_grib") from None
        if len(unpacked) > _MAX_UNPACKED:
            raise Refused("too_large")
        if not stream.eof:
            raise Refused("truncated")
        data = stream.unused_data
    raise Refused("too_large")


def _table(path: Path) -> Table | None:
    """A damaged one goes away, so that it is made anew."""
    try:
        return _kept_table(path, path.stat().st_mtime_ns)
    except FileNotFoundError:
        return None
    except ValueError:
        path.unlink(missing_ok=True)
        return None


@lru_cache(maxsize=1)
def _kept_table(path: Path, _changed: int) -> Table:
    return load_table(path)
