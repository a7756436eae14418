"""Read a field of a GRIB2 file, with the checks that files of others need."""

import calendar
import re

# Imported before ecCodes, which brings an older SQLite: the process uses the one loaded first.
import sqlite3  # noqa: F401
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import eccodes  # type: ignore[import-untyped]
import numpy as np

from quartet.wind.grid.arrays import Floats
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.layout import CellGrid
from quartet.wind.models import ccsds
from quartet.wind.models.refused import Refused
from quartet.wind.models.sections import RawField

# Code table 4.4: minute, hour, day, 3, 6 and 12 hours, second.
_UNIT_SECONDS = {0: 60, 1: 3600, 2: 86400, 10: 10_800, 11: 21_600, 12: 43_200, 13: 1}
_STATISTIC_TEMPLATES = (8, 11, 12)
# Code table 4.5: height above ground, and the number in an ordered sequence such as swells.
_WITH_HEIGHT = (103, 241)
_MISSING = 1e20
_SINGLE_PRECISION = (
    "grid_simple",
    "grid_ccsds",
    "grid_complex",
    "grid_complex_spatial_differencing",
)


class Period(NamedTuple):
    """A field of a time instead of a moment: code table 4.10, and where in the run it begins."""

    process: int
    since_minutes: int


class Head(NamedTuple):
    """Parameter, level and time of a field; `surface` is a number of code table 4.5."""

    parameter: tuple[int, int, int]
    height: float | None
    run: int
    step_minutes: int
    surface: int
    period: Period | None


@dataclass(frozen=True)
class Field:
    """`place` is the grid, or identifies the unstructured one; missing values are NaN."""

    parameter: tuple[int, int, int]
    height: float | None
    run: int
    step_minutes: int
    surface: int
    period: Period | None
    place: Grid | CellGrid
    values: Floats = field(repr=False)

    @property
    def grid(self) -> Grid | None:
        return self.place if isinstance(self.place, Grid) else None


class OpenField:
    """A field whose values are unpacked only on request."""

    def __init__(self, raw: RawField, handle: Any) -> None:
        self.parameter = raw.parameter
        self._message = raw.message
        self._handle = handle
        with _unreadable_refused():
            self.head = _head(raw.parameter, handle)

    def place(self) -> Grid | CellGrid:
        with _unreadable_refused():
            return _ordered_grid(self._handle) or _cell_grid(self._handle)

    def read(self) -> Field:
        with _unreadable_refused():
            return Field(*self.head, *_values_on_grid(self._handle, self._message))


@contextmanager
def opened(raw: RawField) -> Iterator[OpenField]:
    with _unreadable_refused():
        handle = eccodes.codes_new_from_message(raw.message)
    try:
        yield OpenField(raw, handle)
    finally:
        eccodes.codes_release(handle)


def read_field(raw: RawField) -> Field:
    with opened(raw) as field:
        return field.read()


def read_head(raw: RawField) -> Head:
    """Read the head without unpacking the values."""
    with opened(raw) as field:
        return field.head


def read_place(raw: RawField) -> Grid | CellGrid:
    """Read the grid without unpacking the values."""
    with opened(raw) as field:
        return field.place()


@contextmanager
def _unreadable_refused() -> Iterator[None]:
    try:
        yield
    except eccodes.CodesInternalError:
        raise Refused("unreadable") from None


def _head(parameter: tuple[int, int, int], handle: Any) -> Head:
    minutes, period = _time(handle)
    surface = _number(handle, "typeOfFirstFixedSurface")
    return Head(parameter, _height(handle, surface), _run(handle), minutes, surface, period)


def _number(handle: Any, key: str) -> int:
    return int(eccodes.codes_get_long(handle, key))


def _height(handle: Any, surface: int) -> float | None:
    if surface not in _WITH_HEIGHT:
        return None
    return float(eccodes.codes_get_double(handle, "level"))


def _run(handle: Any) -> int:
    names = ("year", "month", "day", "hour", "minute", "second")
    try:
        return calendar.timegm(tuple(_number(handle, name) for name in names))
    except ValueError:
        raise Refused("wrong_run") from None


def _time(handle: Any) -> tuple[int, Period | None]:
    """Return the moment of a field, or the end of its period; DWD uses minutes, others hours."""
    minutes = _minutes(handle, "forecastTime", "indicatorOfUnitForForecastTime")
    if _number(handle, "productDefinitionTemplateNumber") not in _STATISTIC_TEMPLATES:
        return minutes, None
    period = Period(_number(handle, "typeOfStatisticalProcessing"), minutes)
    return minutes + _minutes(handle, "lengthOfTimeRange", "indicatorOfUnitForTimeRange"), period


def _minutes(handle: Any, key: str, unit: str) -> int:
    factor = _UNIT_SECONDS.get(_number(handle, unit))
    if factor is None:
        raise Refused("unreadable")
    return _number(handle, key) * factor // 60


def _values_on_grid(handle: Any, message: bytes) -> tuple[Grid | CellGrid, Floats]:
    grid = _ordered_grid(handle)
    values = ccsds.unpack(message)
    if values is None:
        values = _values(handle)
    if grid is None:
        return _cell_grid(handle), values
    if values.size != grid.points:
        raise Refused("wrong_grid")
    rows = _rows(handle, grid, values)
    if not _number(handle, "jScansPositively"):
        rows = rows[::-1]
    if _number(handle, "iScansNegatively"):
        rows = rows[:, ::-1]
    # Rows of providers may begin anywhere, for instance at Greenwich; ours begin at the date line.
    west, _ = _west_and_east(handle)
    shift = round((grid.west - west) % 360 / grid.step_x)
    if shift:
        rows = np.roll(rows, -shift, axis=1)
    return grid, np.ascontiguousarray(rows).reshape(-1)


def _rows(handle: Any, grid: Grid, values: Floats) -> Floats:
    """Return the values as rows, which may be stored as columns, or every other one backwards."""
    by_column = _number(handle, "jPointsAreConsecutive")
    lines = values.reshape((grid.nx, grid.ny) if by_column else (grid.ny, grid.nx))
    if _number(handle, "alternativeRowScanning"):
        lines[1::2] = lines[1::2, ::-1].copy()
    return lines.T if by_column else lines


def _values(handle: Any) -> Floats:
    eccodes.codes_set(handle, "missingValue", _MISSING)
    packing = eccodes.codes_get_string(handle, "packingType")
    # ecCodes unpacks other packings to doubles only, or to wrong numbers.
    kind = np.float32 if packing in _SINGLE_PRECISION else np.float64
    values = eccodes.codes_get_array(handle, "values", ktype=kind).astype(np.float32, copy=False)
    # Values are missing by a bitmap, or by the missing value management of complex packing.
    if values.size and values.max() >= np.float32(_MISSING / 2):
        values[values >= np.float32(_MISSING / 2)] = np.nan
    return np.asarray(values, np.float32)


def _cell_grid(handle: Any) -> CellGrid:
    """Identify an unstructured grid by all that a message says about it."""
    count = _number(handle, "numberOfDataPoints")
    uuid = eccodes.codes_get_string(handle, "uuidOfHGrid")
    if not re.fullmatch("[0-9a-f]{32}", uuid):
        uuid = "0" * 32
    return CellGrid(f"{_number(handle, 'numberOfGridUsed')}-{uuid}-{count}", count)


def _ordered_grid(handle: Any) -> Grid | None:
    kind = eccodes.codes_get_string(handle, "gridType")
    if kind == "unstructured_grid":
        return None
    if kind == "regular_ll" and _number(handle, "uvRelativeToGrid"):
        # Some models do so; rotating the components would need the projection of the grid.
        raise Refused("grid_relative")
    if kind != "regular_ll":
        raise Refused("wrong_grid")
    return _regular(handle)


def _regular(handle: Any) -> Grid:
    nx, ny = _number(handle, "Ni"), _number(handle, "Nj")
    if nx < 2 or ny < 2:
        raise Refused("wrong_grid")
    first, last = _ends(handle, "latitude")
    # Computed from end to end: the given steps are rounded, which adds up over a row.
    step_y = round(abs(last - first) / (ny - 1), 9)
    west, east = _west_and_east(handle)
    step_x = round((east - west) % 360 / (nx - 1), 9)
    if not (step_x > 0 and step_y > 0):
        raise Refused("wrong_grid")
    grid = Grid(west, min(first, last), step_x, step_y, nx, ny)
    if not grid.wraps:
        return grid
    columns = round((-180 - west) % 360 / step_x)
    west = _east_of_dateline(west + columns * step_x)
    return Grid(west, grid.south, step_x, step_y, nx, ny)


def _west_and_east(handle: Any) -> tuple[float, float]:
    first, last = _ends(handle, "longitude")
    west, east = (last, first) if _number(handle, "iScansNegatively") else (first, last)
    return _east_of_dateline(west), _east_of_dateline(east)


def _ends(handle: Any, axis: str) -> tuple[float, float]:
    return (
        _degrees(handle, f"{axis}OfFirstGridPoint"),
        _degrees(handle, f"{axis}OfLastGridPoint"),
    )


def _degrees(handle: Any, key: str) -> float:
    return round(float(eccodes.codes_get_double(handle, f"{key}InDegrees")), 6)


def _east_of_dateline(lon: float) -> float:
    return round((lon + 180) % 360 - 180, 6)
