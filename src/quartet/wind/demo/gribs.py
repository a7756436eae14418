"""Write GRIB2 as the weather services do, each in its own dialect."""

# Imported before ecCodes, which brings an older SQLite: the process uses the one loaded first.
import sqlite3  # noqa: F401
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import eccodes  # type: ignore[import-untyped]
import numpy as np
from numpy.typing import NDArray

from quartet.wind.demo.fields import CellPlace
from quartet.wind.grid.arrays import Doubles
from quartet.wind.grid.geometry import Grid
from quartet.wind.models.types import run_text

_MISSING = 9999.0
_SUM, _MAXIMUM = 1, 2


@dataclass(frozen=True)
class Dialect:
    """`first_lon` is where the rows of a grid around the world begin."""

    minutes: bool = False
    north_first: bool = True
    first_lon: float = 0.0
    packing: str = "grid_simple"
    bits: int = 12


@dataclass(frozen=True)
class Subject:
    """A parameter by its code table numbers, and its height in metres; None is the surface."""

    parameter: tuple[int, int, int]
    height: int | None
    # The highest value of the previous hour instead of the current one.
    maximum: bool = False
    # The sum of this many hours, or since the start of the run if it is 0.
    sum_hours: int | None = None
    # A number of code table 4.5 instead of that for heights.
    surface: int = 1
    # The number of a member of an ensemble.
    member: int | None = None

    @property
    def of_period(self) -> bool:
        return self.maximum or self.sum_hours is not None

    def span(self, step: int) -> int:
        """Return the hours of the period that ends at a step."""
        return min(step, 1 if self.maximum else self.sum_hours or step)


def message(
    dialect: Dialect,
    subject: Subject,
    place: Grid | CellPlace,
    when: tuple[int, int],
    values: NDArray[np.floating],
) -> bytes:
    """Encode a field; `when` is a run and a step, a missing value is NaN."""
    handle = eccodes.codes_clone(_form(dialect, subject, place))
    try:
        for key, value in _when(dialect, subject, *when).items():
            eccodes.codes_set(handle, key, value)
        _set_values(handle, dialect, _ordered(dialect, place, values))
        return bytes(eccodes.codes_get_message(handle))
    finally:
        eccodes.codes_release(handle)


@lru_cache(maxsize=64)
def _form(dialect: Dialect, subject: Subject, place: Grid | CellPlace) -> Any:
    """Make a message without time and values; making one takes longer than filling it."""
    discipline, category, number = subject.parameter
    handle = eccodes.codes_grib_new_from_samples("regular_ll_sfc_grib2")
    keys = {
        "discipline": discipline,
        **(_grid(dialect, place) if isinstance(place, Grid) else _cells(place)),
        **_template(subject),
        "parameterCategory": category,
        "parameterNumber": number,
        **_level(subject),
    }
    for key, value in keys.items():
        eccodes.codes_set(handle, key, value)
    return handle


def _template(subject: Subject) -> dict[str, int]:
    if subject.member is None:
        return {"productDefinitionTemplateNumber": 8 if subject.of_period else 0}
    return {"productDefinitionTemplateNumber": 1, "perturbationNumber": subject.member}


def _level(subject: Subject) -> dict[str, int]:
    at_height = subject.height is not None and subject.surface == 1
    return {
        "typeOfFirstFixedSurface": 103 if at_height else subject.surface,
        "scaleFactorOfFirstFixedSurface": 0,
        "scaledValueOfFirstFixedSurface": subject.height or 0,
    }


def _when(dialect: Dialect, subject: Subject, run: int, step: int) -> dict[str, int]:
    unit, factor = (0, 60) if dialect.minutes else (1, 1)
    span = subject.span(step) if subject.of_period else 0
    keys = {
        "dataDate": int(run_text(run, "%Y%m%d")),
        "dataTime": int(run_text(run, "%H00")),
        "indicatorOfUnitForForecastTime": unit,
        "forecastTime": (step - span) * factor,
    }
    if subject.of_period:
        keys |= {
            "typeOfStatisticalProcessing": _MAXIMUM if subject.maximum else _SUM,
            "indicatorOfUnitForTimeRange": unit,
            "lengthOfTimeRange": span * factor,
        }
    return keys


def _cells(place: CellPlace) -> dict[str, Any]:
    return {
        "gridType": "unstructured_grid",
        "numberOfDataPoints": place.count,
        "numberOfGridUsed": place.number,
        "numberOfGridInReference": 1,
        "uuidOfHGrid": place.uuid,
    }


def _grid(dialect: Dialect, grid: Grid) -> dict[str, Any]:
    south, north = grid.area.s, grid.area.n
    west = dialect.first_lon if grid.wraps else grid.west
    east = west + (grid.nx - 1) * grid.step_x
    first, last = (north, south) if dialect.north_first else (south, north)
    return {
        "Ni": grid.nx,
        "Nj": grid.ny,
        "latitudeOfFirstGridPointInDegrees": first,
        "latitudeOfLastGridPointInDegrees": last,
        "longitudeOfFirstGridPointInDegrees": west % 360,
        "longitudeOfLastGridPointInDegrees": east % 360,
        "iDirectionIncrementInDegrees": grid.step_x,
        "jDirectionIncrementInDegrees": grid.step_y,
        "jScansPositively": int(not dialect.north_first),
        "uvRelativeToGrid": 0,
    }


def _ordered(dialect: Dialect, place: Grid | CellPlace, values: NDArray[np.floating]) -> Doubles:
    if not isinstance(place, Grid):
        return np.asarray(values, np.float64)
    rows = np.asarray(values, np.float64).reshape(place.ny, place.nx)
    if place.wraps:
        rows = np.roll(rows, round((place.west - dialect.first_lon) / place.step_x), axis=1)
    return (rows[::-1] if dialect.north_first else rows).reshape(-1)


def _set_values(handle: Any, dialect: Dialect, values: Doubles) -> None:
    # Before the bitmap: changing the packing converts the values of the sample, which has none.
    eccodes.codes_set(handle, "packingType", dialect.packing)
    eccodes.codes_set(handle, "bitsPerValue", dialect.bits)
    missing = np.isnan(values)
    if missing.any():
        eccodes.codes_set(handle, "bitmapPresent", 1)
        eccodes.codes_set(handle, "missingValue", _MISSING)
        values = np.where(missing, _MISSING, values)
    eccodes.codes_set_values(handle, values)
