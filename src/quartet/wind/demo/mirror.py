"""Puts runs of the demo weather into a folder, named and laid out as the providers do it."""

import bz2
import secrets
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np

from quartet.wind.demo.fields import MADE_UP, ForecastFields
from quartet.wind.demo.gribs import Dialect, Subject, message
from quartet.wind.models.catalogue import MODELS
from quartet.wind.models.ecmwf.upstream import EcmwfUpstream
from quartet.wind.models.gfs.upstream import GfsUpstream
from quartet.wind.models.icon.upstream import IconUpstream
from quartet.wind.models.meteofrance.upstream import MeteoFranceUpstream
from quartet.wind.models.types import Model, run_text
from quartet.wind.settings import DemoSize

DWD = Dialect(minutes=True, north_first=False, bits=12)
NOAA = Dialect(first_lon=0.0)
ECMWF = Dialect(first_lon=-180.0, packing="grid_ccsds")
METEOFRANCE = Dialect(packing="grid_ccsds")

U, V = Subject((0, 2, 2), 10), Subject((0, 2, 3), 10)
GUST, HIGHEST_GUST = Subject((0, 2, 22), None), Subject((0, 2, 22), 10, maximum=True)
# Files hold more than we want; this one costs nothing.
PRESSURE = Subject((0, 3, 1), None)
LATITUDE, LONGITUDE = Subject((0, 191, 1), None), Subject((0, 191, 2), None)

File = tuple[str, bytes]


def write_steps(
    model_id: str, run: int, steps: tuple[int, ...], folder: Path, size: DemoSize
) -> None:
    """One batch of a run, for a worker process."""
    model = next(each for each in MODELS if each.id == model_id)
    for path, content in files_of(model, run, steps, size):
        _write(folder / model.provider / path, content)


def files_of(model: Model, run: int, steps: tuple[int, ...], size: DemoSize) -> Iterator[File]:
    fields = ForecastFields(model.id, run, size)
    match model.upstream:
        case IconUpstream() as upstream:
            yield from _icon(upstream, fields, steps[0])
        case GfsUpstream() as upstream:
            yield from _gfs(upstream, fields, steps[0])
        case EcmwfUpstream() as upstream:
            yield from _ecmwf(upstream, fields, steps[0])
        case MeteoFranceUpstream() as upstream:
            yield from _meteofrance(upstream, fields, steps)


def _icon(upstream: IconUpstream, fields: ForecastFields, step: int) -> Iterator[File]:
    wind, when = fields.at(step), (fields.run, step)
    # As the real one does: there is no hour before the first.
    gust = wind.gust if step else np.zeros_like(wind.gust)
    subjects = (U, V, HIGHEST_GUST)
    for variable, subject, values in zip(
        upstream.variables, subjects, (wind.u, wind.v, gust), strict=True
    ):
        if step == 0 and subject is HIGHEST_GUST and not upstream.gust_at_start:
            continue
        content = message(DWD, subject, fields.place, when, values)
        yield upstream.path(fields.run, step, variable), bz2.compress(content, 1)
    if step == 0 and isinstance(fields.place, int):
        for variable, subject, values in (
            ("clat", LATITUDE, fields.lats),
            ("clon", LONGITUDE, fields.lons),
        ):
            fine = Dialect(minutes=True, bits=24)
            content = message(fine, subject, fields.place, when, values)
            yield upstream.static_path(fields.run, variable), bz2.compress(content, 1)


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
    # The index comes last, as at the provider.
    yield path, content
    yield f"{path}.idx", index.encode()


def _ecmwf(upstream: EcmwfUpstream, fields: ForecastFields, step: int) -> Iterator[File]:
    stem, content, lines = upstream.stem(fields.run, step), b"", []
    subjects = {"msl": PRESSURE, "10u": U, "10v": V, "max_i10fg": HIGHEST_GUST}
    if step == 0:
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
    values = {PRESSURE: np.full_like(wind.u, MADE_UP), U: wind.u, V: wind.v}
    return [
        message(dialect, subject, fields.place, (fields.run, step), values.get(subject, wind.gust))
        for subject in subjects
    ]


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{secrets.token_hex(4)}.part")
    part.write_bytes(content)
    part.replace(path)
