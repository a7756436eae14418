"""Write runs of the demo weather to a folder, with the paths and formats of the providers."""

import secrets
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np

from quartet.wind.demo.fields import CellPlace, ForecastFields
from quartet.wind.demo.gribs import Dialect, Subject, message
from quartet.wind.demo.land import land_fractions
from quartet.wind.demo.waves import WIND_OF, wave_grid, waves_of
from quartet.wind.grid.arrays import Doubles
from quartet.wind.grid.geometry import Grid
from quartet.wind.models.catalogue import ALL_MODELS
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
TEMPERATURE = Subject((0, 0, 0), 2)
CLOUD, WHOLE_SKY = Subject((0, 6, 1), None), Subject((0, 6, 1), None, surface=10)
PRESSURE = Subject((0, 3, 1), None, surface=101)
RAIN = Subject((0, 1, 52), None, sum_hours=0)
# NOAA publishes the sum since the last multiple of six hours as well, and puts it first.
NOAA_RAIN = Subject((0, 1, 8), None, sum_hours=0)
# ECMWF gives metres, a fraction of the sky, and another number to the pressure.
ECMWF_RAIN = Subject((0, 1, 193), None, sum_hours=0)
ECMWF_CLOUD = Subject((0, 6, 192), None)
ECMWF_PRESSURE = Subject((0, 3, 0), None, surface=101)
# Files hold more than is read; this is not the pressure at sea level.
SURFACE_PRESSURE = Subject((0, 3, 0), None)
# Height, period and direction of waves, with the names in the indexes of the providers.
_SEQUENCE = 241
NOAA_WAVES = {
    "HTSGW:surface": Subject((10, 0, 3), None),
    "PERPW:surface": Subject((10, 0, 11), None),
    "DIRPW:surface": Subject((10, 0, 10), None),
    "SWELL:1 in sequence": Subject((10, 0, 8), 1, surface=_SEQUENCE),
    "SWPER:1 in sequence": Subject((10, 0, 9), 1, surface=_SEQUENCE),
    "SWDIR:1 in sequence": Subject((10, 0, 7), 1, surface=_SEQUENCE),
}
ECMWF_WAVES = {
    "swh": Subject((10, 0, 3), None),
    "pp1d": Subject((10, 0, 34), None),
    "mwd": Subject((10, 0, 14), None),
}
LATITUDE, LONGITUDE = Subject((0, 191, 1), None), Subject((0, 191, 2), None)
LAND = Subject((2, 0, 0), None)

ICON_EXTRAS = {
    "VMAX_10M": HIGHEST_GUST,
    "T_2M": TEMPERATURE,
    "TOT_PREC": RAIN,
    "CLCT": CLOUD,
    "PMSL": PRESSURE,
}
_AICON_LACKS = ("VMAX_10M", "CLCT")

File = tuple[str, bytes]


def write_steps(
    model_id: str, run: int, steps: tuple[int, ...], folder: Path, size: DemoSize
) -> None:
    """Write one batch of a run, in a worker process."""
    model = next(each for each in ALL_MODELS if each.id == model_id)
    for path, content in files_of(model, run, steps, size):
        write_file(folder / model.provider / path, content)


def files_of(
    model: Model,
    run: int,
    steps: tuple[int, ...],
    size: DemoSize,
    place: Grid | CellPlace | None = None,
) -> Iterator[File]:
    """Make the files of one batch, on another grid than usual if `place` is given."""
    if model.has_waves:
        grid = place if isinstance(place, Grid) else wave_grid(size)
        yield from _wave_files(model, run, steps[0], grid)
        return
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
    lacks = _AICON_LACKS if upstream.folder == "aicon" else ()
    subjects = {name: subject for name, subject in ICON_EXTRAS.items() if name not in lacks}
    subjects |= dict(zip(upstream.wind, (U, V), strict=True))
    parts = _messages(DWD, fields, step, tuple(subjects.values()))
    for parameter, content in zip(subjects, parts, strict=True):
        yield upstream.path(fields.run, step, parameter), content


def cell_files(upstream: IconUpstream, fields: ForecastFields) -> Iterator[File]:
    """Latitude, longitude and land of the cells, which are published with every run."""
    if isinstance(fields.place, Grid):
        return
    owner = replace(upstream, folder=upstream.cells_folder or upstream.folder)
    constants = (
        ("CLAT", LATITUDE, fields.lats),
        ("CLON", LONGITUDE, fields.lons),
        ("FR_LAND", LAND, land_fractions(fields.place)),
    )
    for parameter, subject, values in constants:
        content = message(COORDINATES, subject, fields.place, (fields.run, 0), values)
        yield owner.path(fields.run, 0, parameter), content


def _gfs(upstream: GfsUpstream, fields: ForecastFields, step: int) -> Iterator[File]:
    path, day = upstream.path(fields.run, step), run_text(fields.run, "%Y%m%d%H")
    time = f"{step} hour fcst" if step else "anl"
    bucket = step - (step - 1) // 6 * 6 if step else 0
    subjects = {
        f"PRMSL:mean sea level:{time}": PRESSURE,
        f"TMP:2 m above ground:{time}": TEMPERATURE,
        f"UGRD:10 m above ground:{time}": U,
        f"VGRD:10 m above ground:{time}": V,
        f"GUST:surface:{time}": GUST,
        f"APCP:surface:{step - bucket}-{step} hour acc fcst": replace(NOAA_RAIN, sum_hours=bucket),
        f"APCP:surface:{_since_start(step)} acc fcst ": NOAA_RAIN,
        f"TCDC:entire atmosphere:{time}": WHOLE_SKY,
        f"LAND:surface:{time}": LAND,
    }
    if step == 0:
        subjects = {name: each for name, each in subjects.items() if not name.startswith("APCP")}
    parts = _messages(NOAA, fields, step, tuple(subjects.values()))
    yield from noaa_files(path, day, subjects, parts)


def noaa_files(path: str, day: str, names: Iterable[str], parts: list[bytes]) -> Iterator[File]:
    content, index = b"", ""
    for number, (name, part) in enumerate(zip(names, parts, strict=True), 1):
        index += f"{number}:{len(content)}:d={day}:{name.strip()}:\n"
        content += part
    # The provider publishes the index last.
    yield path, content
    yield f"{path}.idx", index.encode()


def _wave_files(model: Model, run: int, step: int, grid: Grid) -> Iterator[File]:
    wind = ForecastFields(WIND_OF[model.id], run, "tiny", grid).at(step)
    fields = waves_of(wind, grid)
    match model.upstream:
        case GfsUpstream() as upstream:
            subjects, dialect = NOAA_WAVES, NOAA
        case EcmwfUpstream() as upstream:
            subjects, dialect = ECMWF_WAVES, ECMWF
        case _:
            return
    parts = [
        message(dialect, subject, grid, (run, step), values)
        # A model without swell has fewer subjects.
        for subject, values in zip(subjects.values(), fields, strict=False)
    ]
    if isinstance(upstream, EcmwfUpstream):
        yield from _ecmwf_files(upstream, run, step, subjects, parts)
    else:
        time = f"{step} hour fcst" if step else "anl"
        names = [f"{name}:{time}" for name in subjects]
        yield from noaa_files(upstream.path(run, step), run_text(run, "%Y%m%d%H"), names, parts)


def _ecmwf(upstream: EcmwfUpstream, fields: ForecastFields, step: int) -> Iterator[File]:
    subjects = {
        "sp": SURFACE_PRESSURE,
        "msl": ECMWF_PRESSURE,
        "10u": U,
        "10v": V,
        "2t": TEMPERATURE,
        "tcc": ECMWF_CLOUD,
    }
    if step == 0:
        subjects["lsm"] = LAND
    else:
        subjects["tp"] = ECMWF_RAIN
        # AIFS has no gusts.
        if upstream.folder == "ifs":
            subjects["max_i10fg"] = HIGHEST_GUST
    parts = _messages(ECMWF, fields, step, tuple(subjects.values()))
    yield from _ecmwf_files(upstream, fields.run, step, subjects, parts)


def _ecmwf_files(
    upstream: EcmwfUpstream, run: int, step: int, names: Iterable[str], parts: list[bytes]
) -> Iterator[File]:
    stem, content, lines = upstream.stem(run, step), b"", []
    for param, part in zip(names, parts, strict=True):
        line = {
            "date": run_text(run, "%Y%m%d"),
            "time": run_text(run, "%H00"),
            "type": "fc",
            "stream": upstream.stream,
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
        subjects: tuple[Subject, ...] = (PRESSURE, TEMPERATURE, CLOUD, U, V)
        if step > 0:
            subjects = (*subjects, HIGHEST_GUST, RAIN)
        parts += _messages(METEOFRANCE, fields, step, subjects)
    yield upstream.path(fields.run, steps[0]), b"".join(parts)


def _messages(
    dialect: Dialect, fields: ForecastFields, step: int, subjects: tuple[Subject, ...]
) -> list[bytes]:
    values = _values(fields, step)
    if LAND in subjects:
        values[LAND] = land_fractions(fields.place)
    for subject in subjects:
        if subject.sum_hours:
            before = fields.sky(step - subject.sum_hours).precipitation
            values[subject] = values[NOAA_RAIN] - before
    return [
        message(dialect, subject, fields.place, (fields.run, step), values[subject])
        for subject in subjects
    ]


def _values(fields: ForecastFields, step: int) -> dict[Subject, Doubles]:
    wind, sky = fields.at(step), fields.sky(step)
    return {
        U: wind.u,
        V: wind.v,
        GUST: wind.gust,
        # Like the real models: there is no hour before step 0.
        HIGHEST_GUST: wind.gust if step else np.zeros_like(wind.gust),
        TEMPERATURE: sky.temperature,
        CLOUD: sky.cloud,
        WHOLE_SKY: sky.cloud,
        ECMWF_CLOUD: sky.cloud / 100,
        PRESSURE: sky.pressure,
        ECMWF_PRESSURE: sky.pressure,
        SURFACE_PRESSURE: sky.pressure * 0.98,
        RAIN: sky.precipitation,
        NOAA_RAIN: sky.precipitation,
        ECMWF_RAIN: sky.precipitation / 1000,
    }


def _since_start(step: int) -> str:
    """Spell a time as the index of NOAA does, which counts whole days."""
    return f"0-{step // 24} day" if step % 24 == 0 else f"0-{step} hour"


def write_file(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{secrets.token_hex(4)}.part")
    part.write_bytes(content)
    part.replace(path)
