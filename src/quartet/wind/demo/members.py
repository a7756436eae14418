"""Ensembles of the demo weather, with the paths and formats of the providers."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np

from quartet.wind.demo.fields import CellPlace, ForecastFields
from quartet.wind.demo.gribs import Dialect, Subject, message
from quartet.wind.demo.land import land_fractions
from quartet.wind.demo.mirror import (
    COORDINATES,
    DWD,
    ECMWF,
    LAND,
    LATITUDE,
    LONGITUDE,
    NOAA,
    File,
    U,
    V,
    files_of,
    noaa_files,
    write_file,
)
from quartet.wind.demo.spread import WIND_OF, factor_of
from quartet.wind.demo.weather import Truth
from quartet.wind.grid.geometry import Grid
from quartet.wind.models.catalogue import ENSEMBLES
from quartet.wind.models.ecmwf.ensemble import EcmwfEnsembleUpstream
from quartet.wind.models.ecmwf.models import ECMWF as ECMWF_MODEL
from quartet.wind.models.gfs.ensemble import GefsUpstream
from quartet.wind.models.icon.ensemble import IconEnsembleUpstream
from quartet.wind.models.types import Model, run_text
from quartet.wind.settings import DemoSize

_ECMWF_MEMBERS = 50


def write_steps(
    model_id: str, run: int, steps: tuple[int, ...], folder: Path, size: DemoSize
) -> None:
    """Write one step of a run, in a worker process."""
    model = next(each for each in ENSEMBLES if each.id == model_id)
    for path, content in member_files(model, run, steps[0], size):
        write_file(folder / model.provider / path, content)


def member_files(
    model: Model, run: int, step: int, size: DemoSize, place: Grid | CellPlace | None = None
) -> Iterator[File]:
    fields = ForecastFields(WIND_OF[model.id], run, size, place)
    match model.upstream:
        case IconEnsembleUpstream() as upstream:
            if step == model.steps_of(run)[0]:
                yield from _cell_files(upstream, fields)
            wind = fields.at(step)
            for member in range(1, upstream.members + 1):
                parts = _wind(DWD, fields, wind, step, member)
                for parameter, content in zip(upstream.wind, parts, strict=True):
                    yield upstream.path(run, step, parameter, member), content
        case GefsUpstream() as upstream:
            time = f"{step} hour fcst" if step else "anl"
            names = [f"{name}:10 m above ground:{time}" for name in ("UGRD", "VGRD")]
            wind = fields.at(step)
            for member in range(upstream.members + 1):
                path, day = upstream.path(run, step, member), run_text(run, "%Y%m%d%H")
                yield from noaa_files(path, day, names, _wind(NOAA, fields, wind, step, member))
        case EcmwfEnsembleUpstream() as upstream:
            yield from _ecmwf(upstream, fields, step)
            # The control run, with the land mask.
            yield from files_of(ECMWF_MODEL, run, (step,), size, place)


def _wind(
    dialect: Dialect, fields: ForecastFields, wind: Truth, step: int, member: int
) -> list[bytes]:
    factor = factor_of(fields.run, step, member)
    return [
        message(
            dialect,
            replace(subject, member=member),
            fields.place,
            (fields.run, step),
            each * factor,
        )
        for subject, each in ((U, wind.u), (V, wind.v))
    ]


def _cell_files(upstream: IconEnsembleUpstream, fields: ForecastFields) -> Iterator[File]:
    """The cells are published with the first member."""
    if isinstance(fields.place, Grid):
        return
    constants: tuple[tuple[str, Subject, object], ...] = (
        ("CLAT", LATITUDE, fields.lats),
        ("CLON", LONGITUDE, fields.lons),
        ("FR_LAND", LAND, land_fractions(fields.place)),
    )
    for parameter, subject, values in constants:
        content = message(
            COORDINATES, subject, fields.place, (fields.run, 0), np.asarray(values, np.float64)
        )
        yield upstream.path(fields.run, 0, parameter, 1), content


def _ecmwf(upstream: EcmwfEnsembleUpstream, fields: ForecastFields, step: int) -> Iterator[File]:
    run, stem = fields.run, upstream.stem(fields.run, step)
    content, lines, wind = b"", [], fields.at(step)
    for member in range(1, _ECMWF_MEMBERS + 1):
        parts = _wind(ECMWF, fields, wind, step, member)
        for param, part in zip(("10u", "10v"), parts, strict=True):
            line = {
                "date": run_text(run, "%Y%m%d"),
                "time": run_text(run, "%H00"),
                "type": "pf",
                "stream": "enfo",
                "step": str(step),
                "levtype": "sfc",
                "number": str(member),
                "param": param,
                "_offset": len(content),
                "_length": len(part),
            }
            lines.append(msgspec.json.encode(line))
            content += part
    yield f"{stem}.grib2", content
    yield f"{stem}.index", b"\n".join(lines)
