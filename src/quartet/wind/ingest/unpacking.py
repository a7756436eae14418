"""Decode, check and store fields; only worker processes load this module."""

from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

import numpy as np

from quartet.wind.grid.arrays import Floats, Int16s
from quartet.wind.grid.geometry import Area, Grid
from quartet.wind.grid.land import write_land
from quartet.wind.grid.layout import (
    CHANNELS,
    NO_DATA,
    SWELL_CHANNELS,
    WIND_CHANNELS,
    CellGrid,
    Header,
)
from quartet.wind.grid.steps import write_step
from quartet.wind.ingest.fields import (
    CONVERSIONS,
    WAVES,
    Parameter,
    WindFields,
    store_waves,
    store_weather,
    store_wind,
)
from quartet.wind.ingest.meshing import build_mesh
from quartet.wind.ingest.pieces import (
    blamed,
    fields_of_pieces,
    is_extra,
    tolerated,
    wanted_fields,
)
from quartet.wind.ingest.types import FieldSummary, StoreJob
from quartet.wind.models.grib import Field, Head, OpenField, opened, read_field, read_place
from quartet.wind.models.refused import Refused
from quartet.wind.models.types import Fetched

U, V, GUST, GUST_U, GUST_V = ((0, 2, number) for number in (2, 3, 22, 23, 24))
WAVE_HEIGHT = (10, 0, 3)
LAND = (2, 0, 0)
_WHOLE_WORLD = Area(-180, -90, 180, 90)
_NO_UUID = "0" * 32

_WIND = (U, V, GUST, GUST_U, GUST_V)
_CHANNELS = {parameter: channel for channel, known in CONVERSIONS.items() for parameter in known}
_MSL_PRESSURE = (0, 3, 1)
# Code table 4.5: the whole atmosphere, as the providers name it, and the level of the sea.
_WHOLE_SKY = (1, 8, 10, 200)
_SEA_LEVEL = 101
# Code table 4.10.
_ACCUMULATION = 1

# The wanted fields of a step, each with the number of the file that holds it.
Fields = dict[Parameter | str, tuple[int, OpenField]]


def find_place(fetched: Fetched, model: str, area: Area | None) -> Grid | CellGrid:
    """Return the grid of the first field; a regular one must be inside the model's area."""
    for piece, raw in wanted_fields(fetched, (*_WIND, WAVE_HEIGHT)):
        with blamed(piece):
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


def build_mesh_file(fetched: Fetched, path: Path, cells: CellGrid, model: str) -> Grid:
    """Build a mesh from the files of the latitudes and longitudes of the cells."""
    lats, lons = read_coordinates(fetched, cells, model)
    return build_mesh(lats, lons, path)


def read_coordinates(fetched: Fetched, cells: CellGrid, model: str) -> tuple[Floats, Floats]:
    lats, lons = (read_field(next(fields)) for fields in fields_of_pieces(fetched))
    for place in (lats.place, lons.place):
        # Coordinates of other cells would put the wind of every place elsewhere.
        if not isinstance(place, CellGrid) or _of_model(place, model) != cells:
            raise Refused("wrong_grid")
    return lats.values, lons.values


def write_land_file(fetched: Fetched, path: Path, place: Grid | CellGrid, model: str) -> None:
    """Store how much of each point of a grid is land."""
    for _, raw in wanted_fields(fetched, (LAND,)):
        field = read_field(raw)
        found = field.place if isinstance(field.place, Grid) else _of_model(field.place, model)
        if found != place:
            raise Refused("wrong_grid")
        if not (np.nanmin(field.values) >= -0.01 and np.nanmax(field.values) <= 1.01):
            raise Refused("implausible")
        write_land(path, field.values)
        return
    raise Refused("missing_field")


def store(job: StoreJob) -> tuple[int, ...]:
    """Store the steps that have both components of the wind, or waves, and return them."""
    complete = []
    required: set[Parameter | str] = {"height"} if job.header.has_waves else {U, V}
    with ExitStack() as open_fields:
        for step, fields in sorted(_fields_by_step(job, open_fields).items()):
            if fields.keys() >= required:
                waves = job.header.has_waves
                rows = _wave_rows(fields, job) if waves else _rows(fields, job, step)
                write_step(job.folder, job.header, step, rows)
                complete.append(step)
    if not complete:
        raise Refused("missing_field")
    return tuple(complete)


def summarize(fetched: Fetched, run: int) -> FieldSummary:
    """Decode the first step that has both components of the wind, or the height of waves."""
    found: dict[int, dict[Parameter, Floats]] = defaultdict(dict)
    for _, raw in wanted_fields(fetched, (*_WIND, WAVE_HEIGHT)):
        with opened(raw) as field:
            head = field.head
            if head.run != run:
                raise Refused("wrong_run")
            if head.parameter == WAVE_HEIGHT:
                return _summary(field.read().values, "m")
            if head.parameter in (U, V) and near_ground(head):
                fields = found[head.step_minutes]
                fields[head.parameter] = field.read().values
                if len(fields) == 2:
                    return _summary(np.hypot(fields[U], fields[V]), "m/s")
    raise Refused("missing_field")


def extras_in(fetched: Fetched) -> tuple[str, ...]:
    """Return the channels of gusts, weather and waves that files have, in the order stored."""
    found: set[str | None] = set()
    wanted = (GUST, GUST_U, *_CHANNELS, *WAVES)
    for _, raw in wanted_fields(fetched, wanted, lenient=True):
        with opened(raw) as field:
            head = field.head
        if head.parameter in WAVES:
            found.add(_wave_channel(head))
        elif head.parameter in _WIND:
            found.add("gust" if near_ground(head) else None)
        else:
            found.add(channel_of(head))
    return tuple(each for each in (*CHANNELS, *SWELL_CHANNELS) if each in found)


def _summary(values: Floats, unit: Literal["m/s", "m"]) -> FieldSummary:
    missing = int(np.isnan(values).sum())
    if missing == values.size:
        raise Refused("implausible")
    return FieldSummary(values.size, missing, float(np.nanmax(values)), unit)


def _fields_by_step(job: StoreJob, open_fields: ExitStack) -> dict[int, Fields]:
    """Find the wanted fields without unpacking them; a file may hold one several times."""
    found: dict[int, Fields] = defaultdict(dict)
    wanted = tuple(WAVES) if job.header.has_waves else (*_WIND, *_CHANNELS)
    name_of = _wave_channel if job.header.has_waves else _name
    for piece, raw in wanted_fields(job.fetched, wanted, lenient=job.lenient):
        with blamed(piece), tolerated(job.lenient and is_extra(job.fetched, piece)):
            field = open_fields.enter_context(opened(raw))
            if field.head.run != job.header.run:
                raise Refused("wrong_run")
            step, rest = divmod(field.head.step_minutes, 60)
            name = name_of(field.head)
            if rest == 0 and step in job.steps and name is not None:
                found[step][name] = piece, field
    return found


def _name(head: Head) -> Parameter | str | None:
    """Return the parameter of the wind, or the channel of the weather, that a field is for."""
    if head.parameter in _WIND:
        return head.parameter if near_ground(head) else None
    return channel_of(head)


def _wave_channel(head: Head) -> str | None:
    """Return the channel of a field of waves, of which there are several swells."""
    return WAVES[head.parameter][0] if head.height in (None, 1) else None


def channel_of(head: Head) -> str | None:
    channel = _CHANNELS.get(head.parameter)
    if channel is None:
        return None
    fits = {
        "temperature": head.height == 2,
        # Sums of the hours before a step are published as well.
        "precipitation": head.period == (_ACCUMULATION, 0),
        "cloud": head.period is None and head.surface in _WHOLE_SKY,
        "pressure": head.parameter == _MSL_PRESSURE or head.surface == _SEA_LEVEL,
    }
    return channel if fits[channel] else None


def near_ground(head: Head) -> bool:
    """Whether a field is for ten metres; some models give gusts for the surface itself."""
    return head.height == 10 or (head.parameter == GUST and head.height is None)


def _rows(fields: Fields, job: StoreJob, step: int) -> Int16s:
    """Convert the fields of a step, one after the other to save memory."""
    rows = np.empty((len(job.header.channels), job.header.points), np.int16)
    store_wind(_wind(fields, job), step, rows)
    for row, channel in enumerate(job.header.channels[len(WIND_CHANNELS) :], len(WIND_CHANNELS)):
        # Nothing has fallen before a run starts, and some providers have no field of that.
        rows[row] = 0 if channel == "precipitation" and step == 0 else NO_DATA
        if channel in fields:
            piece, field = fields[channel]
            with blamed(piece), tolerated(_may_lack(job, piece)):
                values = on_grid(field.read(), job.header)
                store_weather(channel, field.parameter, values, rows[row])
    return rows


def _wave_rows(fields: Fields, job: StoreJob) -> Int16s:
    rows = np.full((len(job.header.channels), job.header.points), NO_DATA, np.int16)
    for row, channel in enumerate(job.header.channels):
        if channel in fields:
            piece, field = fields[channel]
            with blamed(piece), tolerated(channel != "height" and _may_lack(job, piece)):
                store_waves(field.parameter, on_grid(field.read(), job.header), rows[row])
    return rows


def _wind(fields: Fields, job: StoreJob) -> WindFields:
    values: dict[Parameter, Floats] = {}
    for parameter in _WIND:
        if parameter in fields:
            piece, field = fields[parameter]
            with blamed(piece), tolerated(parameter not in (U, V) and _may_lack(job, piece)):
                values[parameter] = on_grid(field.read(), job.header)
    gust = values.get(GUST)
    if gust is None and GUST_U in values and GUST_V in values:
        gust = np.hypot(values[GUST_U], values[GUST_V])
    return WindFields(values[U], values[V], gust)


def on_grid(field: Field, header: Header) -> Floats:
    if isinstance(field.place, CellGrid):
        fits = _of_model(field.place, header.model) == header.cells
    else:
        fits = header.cells is None and field.place == header.grid
    if not fits:
        raise Refused("wrong_grid")
    return field.values


def _may_lack(job: StoreJob, piece: int) -> bool:
    """Whether a bad field of gusts or weather is left out.

    A file that holds the wind as well is not fetched again because of them.
    """
    return job.lenient or not is_extra(job.fetched, piece)
