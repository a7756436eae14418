"""Decode, check and store fields; only worker processes load this module."""

import bz2
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from quartet.wind.grid.arrays import Floats
from quartet.wind.grid.geometry import Area, Grid
from quartet.wind.grid.layout import CellGrid, Header
from quartet.wind.grid.steps import write_step
from quartet.wind.ingest.fields import WindFields, stored
from quartet.wind.ingest.meshing import build_mesh
from quartet.wind.ingest.types import StoreJob, WindSummary
from quartet.wind.models.grib import Field, Head, read_field, read_head, read_place
from quartet.wind.models.refused import Refused
from quartet.wind.models.sections import RawField, fields_of
from quartet.wind.models.types import Fetched

U, V, GUST, GUST_U, GUST_V = ((0, 2, number) for number in (2, 3, 22, 23, 24))
_WHOLE_WORLD = Area(-180, -90, 180, 90)
_NO_UUID = "0" * 32
_MAX_UNPACKED = 64 * 1024 * 1024
# Programs that compress on several cores make a stream of every 900,000 bytes.
_MAX_STREAMS = 100

Parameter = tuple[int, int, int]
# The wanted fields of a step, each with the number of the file that holds it.
Fields = dict[Parameter, tuple[int, RawField]]


def find_place(fetched: Fetched, model: str, area: Area | None) -> Grid | CellGrid:
    """Return the grid of the first wind field; a regular one must be inside the model's area."""
    for piece, raw in _wind_fields(fetched):
        with _blamed(piece):
            place = read_place(raw)
            if isinstance(place, CellGrid):
                return _of_model(place, model)
            if not (area or _WHOLE_WORLD).holds(place.area, _margin(place, area)):
                raise Refused("wrong_grid")
            return place
    raise Refused("missing_field")


def _margin(grid: Grid, area: Area | None) -> float:
    return grid.step_x if area is None else max(grid.step_x, 0.25)


def _of_model(cells: CellGrid, model: str) -> CellGrid:
    """Without a UUID the same number of cells may be another grid in another model."""
    return CellGrid(f"{model}-{cells.key}", cells.count) if _NO_UUID in cells.key else cells


def build_mesh_file(fetched: Fetched, path: Path) -> Grid:
    """Build a mesh from the files of the latitudes and longitudes of the cells."""
    unpacked = (_unpack(piece) if fetched.bz2 else piece for piece in fetched.pieces)
    lats, lons = (read_field(next(fields_of(piece))) for piece in unpacked)
    return build_mesh(lats.values, lons.values, path)


def store(job: StoreJob) -> tuple[int, ...]:
    """Store the steps that have both components of the wind, and return them."""
    complete = []
    for step, fields in sorted(_fields_by_step(job).items()):
        if U in fields and V in fields:
            wind = _wind(fields, job.header)
            write_step(job.folder, job.header, step, stored(wind, step))
            complete.append(step)
    if not complete:
        raise Refused("missing_field")
    return tuple(complete)


def summarize_wind(fetched: Fetched, run: int) -> WindSummary:
    """Decode the first step that has both components of the wind."""
    found: dict[int, dict[Parameter, Floats]] = defaultdict(dict)
    for _, raw in _wind_fields(fetched):
        head = read_head(raw)
        if head.run != run:
            raise Refused("wrong_run")
        if head.parameter in (U, V) and _near_ground(head):
            fields = found[head.step_minutes]
            fields[head.parameter] = read_field(raw).values
            if len(fields) == 2:
                speed = np.hypot(fields[U], fields[V])
                missing = int(np.isnan(speed).sum())
                if missing == speed.size:
                    raise Refused("implausible")
                return WindSummary(speed.size, missing, float(np.nanmax(speed)))
    raise Refused("missing_field")


def _fields_by_step(job: StoreJob) -> dict[int, Fields]:
    """Find the wanted fields without unpacking them; a file may hold one several times."""
    found: dict[int, Fields] = defaultdict(dict)
    for piece, raw in _wind_fields(job.fetched):
        with _blamed(piece):
            head = read_head(raw)
            if head.run != job.header.run:
                raise Refused("wrong_run")
        step, rest = divmod(head.step_minutes, 60)
        if rest == 0 and step in job.steps and _near_ground(head):
            found[step][head.parameter] = piece, raw
    return found


def _near_ground(head: Head) -> bool:
    """Whether a field is for ten metres; some models give gusts for the surface itself."""
    return head.height == 10 or (head.parameter == GUST and head.height is None)


def _wind(fields: Fields, header: Header) -> WindFields:
    values: dict[Parameter, Floats] = {}
    for parameter, (piece, raw) in fields.items():
        with _blamed(piece):
            values[parameter] = _on_grid(read_field(raw), header)
    gust = values.get(GUST)
    if gust is None and GUST_U in values and GUST_V in values:
        gust = np.hypot(values[GUST_U], values[GUST_V])
    return WindFields(values[U], values[V], gust)


def _on_grid(field: Field, header: Header) -> Floats:
    if isinstance(field.place, CellGrid):
        fits = _of_model(field.place, header.model) == header.cells
    else:
        fits = header.cells is None and field.place == header.grid
    if not fits:
        raise Refused("wrong_grid")
    return field.values


def _wind_fields(fetched: Fetched) -> Iterator[tuple[int, RawField]]:
    for number, piece in enumerate(fetched.pieces):
        with _blamed(number):
            for raw in fields_of(_unpack(piece) if fetched.bz2 else piece):
                if raw.parameter in (U, V, GUST, GUST_U, GUST_V):
                    yield number, raw


@contextmanager
def _blamed(piece: int) -> Iterator[None]:
    """Note which file was to blame: only that one is fetched again."""
    try:
        yield
    except Refused as error:
        error.piece = piece
        raise


def _unpack(data: bytes) -> bytes:
    """Decompress bzip2, but no more than any field could be."""
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
