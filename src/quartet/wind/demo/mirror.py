"""Write runs of the demo weather to a folder, with the paths and formats of the providers."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np

from quartet.wind.demo.fields import PRESSURE_PASCALS, CellPlace, ForecastFields
from quartet.wind.demo.gribs import Dialect, Subject, message
from quartet.wind.grid.geometry import Grid
from quartet.wind.models.catalogue import MODELS
from quartet.wind.models.ecmwf.upstream import EcmwfUpstream
from quartet.wind.models.gfs.upstream import GfsUpstream
from quartet.wind.models.icon.upstream import IconUpstream
from quartet.wind.models.meteofrance.upstream import MeteoFranceUpstream
from quartet.wind.models.types import Model, run_text
from quartet.wind.settings import DemoSize

DWD = Dialect(minutes=True, packing="grid_ccsds", bits=16)
COORDINATES = Dialect(minutes=True, packing="grid_ccsds", bits=24)
NOAA = Dialect(first_lon=0.0)
ECMWF = Dialect(first_lon=-180.0, packing="grid_ccsds")
METEOFRANCE = Dialect(packing="grid_ccsds")

U, V = Subject((0, 2, 2), 10), Subject((0, 2, 3), 10)
GUST, HIGHEST_GUST = Subject((0, 2, 22), None), Subject((0, 2, 22), 10, maximum=True)
# Files hold more than is read; this field costs nothing.
PRESSURE = Subject((0, 3, 1), None)
LATITUDE, LONGITUDE = Subject((0, 191, 1), None), Subject((0, 191, 2), None)

File = tuple[str, bytes]


def write_steps(
    model_id: str, run: int, steps: tuple[int, ...], folder: Path, size: DemoSize
) -> None:
    """Write one batch of a run, in a worker process."""
    model = next(each for each in MODELS if each.id == model_id)
    for path, content in files_of(model, run, steps, size):
        _write(folder / model.provider / path, content)


def files_of(
    model: Model,
    run: int,
    steps: tuple[int, ...],
    size: DemoSize,
    place: Grid | CellPlace | None = None,
) -> Iterator[File]:
    """Make the files of one batch, on another grid than usual if `place` is given."""
    fields = ForecastFields(model.id, run, size, place)
    match model.upstream:
        case IconUpstream() as upstream:
            if steps[0] == model.steps_of(run)[0]:
                yield from cell_files(upstream, fields)
            yield from _icon(upstream, fields, steps[0])
        case GfsUpstream() as upstream:
            yield from _gfs(upstream, fields, steps[0])
        case EcmwfUpstream() as upstream:
            yield from _ecmwf(upstream, fields, steps[0])
        case MeteoFranceUpstream() as upstream:
            yield from _meteofrance(upstream, fields, steps)


def _icon(upstream: IconUpstream, fields: ForecastFields, step: int) -> Iterator[File]:
    wind, when = fields.at(step), (fields.run, step)
    if upstream.gust is not None:
        # Like the real model: there is no hour before step 0.
        gust = wind.gust if step else np.zeros_like(wind.gust)
        content = message(DWD, HIGHEST_GUST, fields.place, when, gust)
        yield upstream.path(fields.run, step, upstream.gust), content
    for parameter, subject, values in zip(upstream.wind, (U, V), (wind.u, wind.v), strict=True):
        content = message(DWD, subject, fields.place, when, values)
        yield upstream.path(fields.run, step, parameter), content


def cell_files(upstream: IconUpstream, fields: ForecastFields) -> Iterator[File]:
    """Latitude and longitude of the cells, which are published with every run."""
    if isinstance(fields.place, Grid):
        return
    coordinates = ("CLAT", LATITUDE, fields.lats), ("CLON", LONGITUDE, fields.lons)
    for parameter, subject, values in coordinates:
        content = message(COORDINATES, subject, fields.place, (fields.run, 0), values)
        yield upstream.path(fields.run, 0, parameter), content


def _gfs(upstream: GfsUpstream, fields: ForecastFields, step: int) -> Iterator[File]:
    path, day = upstream.path(fields.run, step), run_text(fields.run, "%Y%m%d%H")
    time = f"{step} hour fcst" if step else "anl"
    names = (
        "PRMSL:mean sea level",
        "UGRD:10 m above ground",
        "VGRD:10 m above ground",
        "GUST:surface",
    )
    content, index = b"", ""
    parts = _messages(NOAA, fields, step, (PRESSURE, U, V, GUST))
    for number, (name, part) in enumerate(zip(names, parts, strict=True), 1):
        index += f"{number}:{len(content)}:d={day}:{name}:{time}:\n"
        content += part
    # The provider publishes the index last.
    yield path, content
    yield f"{path}.idx", index.encode()


def _ecmwf(upstream: EcmwfUpstream, fields: ForecastFields, step: int) -> Iterator[File]:
    stem, content, lines = upstream.stem(fields.run, step), b"", []
    subjects = {"msl": PRESSURE, "10u": U, "10v": V, "max_i10fg": HIGHEST_GUST}
    # AIFS has no gusts.
    if step == 0 or upstream.folder != "ifs":
        del subjects["max_i10fg"]
    parts = _messages(ECMWF, fields, step, tuple(subjects.values()))
    for param, part in zip(subjects, parts, strict=True):
        line = {
            "date": run_text(fields.run, "%Y%m%d"),
            "time": run_text(fields.run, "%H00"),
            "type": "fc",
            "stream": "oper",
            "step": str(step),
            "levtype": "sfc",
            "param": param,
            "_offset": len(content),
            "_length": len(part),
        }
        lines.append(msgspec.json.encode(line))
        content += part
    yield f"{stem}.grib2", content
    yield f"{stem}.index", b"\n".join(lines)


def _meteofrance(
    upstream: MeteoFranceUpstream, fields: ForecastFields, steps: tuple[int, ...]
) -> Iterator[File]:
    parts: list[bytes] = []
    for step in steps:
        subjects = (PRESSURE, U, V, HIGHEST_GUST) if step else (PRESSURE, U, V)
        parts += _messages(METEOFRANCE, fields, step, subjects)
    yield upstream.path(fields.run, steps[0]), b"".join(parts)


def _messages(
    dialect: Dialect, fields: ForecastFields, step: int, subjects: tuple[Subject, ...]
) -> list[bytes]:
    wind = fields.at(step)
    values = {PRESSURE: np.full_like(wind.u, PRESSURE_PASCALS), U: wind.u, V: wind.v}
    return [
        message(dialect, subject, fields.place, (fields.run, step), values.get(subject, wind.gust))
        for subject in subjects
    ]


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{secrets.token_hex(4)}.part")
    part.write_bytes(content)
    part.replace(path)
