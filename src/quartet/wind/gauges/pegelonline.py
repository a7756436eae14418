"""Parsers for PEGELONLINE, the gauges of German waterways."""

import math
import re
from collections.abc import Iterator
from typing import Any

from quartet.kernel.errors import AppError
from quartet.wind.gauges.types import Gauge, LevelSeries, State
from quartet.wind.observations.report_files import unix_time

LIST_QUERY = (
    "stations.json?timeseries=W&includeTimeseries=true&includeCurrentMeasurement=true"
    "&includeCharacteristicValues=true&prettyprint=false"
)
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.A)
_UNIT = re.compile(r"cm|m\+[A-Z]{2,4}", re.A)
# Values outside of this range come from broken sensors.
_LOWEST, _HIGHEST = -2000.0, 10_000.0
_STATES: dict[Any, State] = {"low": "low", "normal": "normal", "high": "high"}
# Mean high and low water of the tide; only tidal gauges have these values.
_TIDAL_VALUES = {"MTHW", "MTNW"}
_TIDAL_WATERS = {"NORDSEE", "WATTENMEER"}
_QUARTER = 900


def series_path(gauge: str, days: int) -> str:
    return f"stations/{gauge}/W/measurements.json?start=P{days}D&prettyprint=false"


def parse_gauges(rows: Any) -> list[Gauge]:
    """Return gauges with coordinates and a water level."""
    if not isinstance(rows, list):
        raise AppError(502, "gauges_unreadable")
    return [gauge for row in rows if isinstance(row, dict) and (gauge := _gauge(row))]


def _gauge(row: dict[str, Any]) -> Gauge | None:
    place = _place(row.get("latitude"), row.get("longitude"))
    number, name = row.get("uuid"), row.get("longname") or row.get("shortname")
    level = next(_levels(row.get("timeseries")), None)
    if level is None or place is None or not isinstance(name, str):
        return None
    if not isinstance(number, str) or not _ID.fullmatch(number):
        return None
    water = _name(row.get("water"))
    tidal = water.upper() in _TIDAL_WATERS or bool(_values(level) & _TIDAL_VALUES)
    current = level.get("currentMeasurement") or {}
    value, timestamp = _level(current.get("value")), current.get("timestamp")
    time = unix_time(timestamp) if isinstance(timestamp, str) else None
    known = value is not None and time is not None and not tidal
    return Gauge(
        number,
        name.title(),
        water,
        *place,
        level["unit"],
        value if time is not None else None,
        time if value is not None else None,
        _STATES.get(current.get("stateMnwMhw"), "unknown") if known else "unknown",
        tidal,
    )


def _levels(timeseries: Any) -> Iterator[dict[str, Any]]:
    for each in timeseries if isinstance(timeseries, list) else []:
        if isinstance(each, dict) and each.get("shortname") == "W":
            unit = each.get("unit")
            if isinstance(unit, str) and _UNIT.fullmatch(unit):
                yield each


def _place(lat: Any, lon: Any) -> tuple[float, float] | None:
    if not isinstance(lat, int | float) or not isinstance(lon, int | float):
        return None
    return (round(lat, 5), round(lon, 5)) if abs(lat) <= 90 and abs(lon) <= 180 else None


def _name(water: Any) -> str:
    name = water.get("longname") or water.get("shortname") if isinstance(water, dict) else None
    return name.title() if isinstance(name, str) else ""


def _values(level: dict[str, Any]) -> set[str]:
    values = level.get("characteristicValues")
    rows = values if isinstance(values, list) else []
    return {str(row.get("shortname")).upper() for row in rows if isinstance(row, dict)}


def _level(value: Any) -> float | None:
    """Return the level if it is plausible; negative levels are valid."""
    if not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return round(float(value), 2) if _LOWEST <= value <= _HIGHEST else None


def parse_series(rows: Any) -> LevelSeries:
    """Return one level per quarter of an hour; some gauges report every minute."""
    if not isinstance(rows, list):
        raise AppError(502, "gauges_unreadable")
    found: dict[int, tuple[int, float]] = {}
    for row in rows:
        timestamp = row.get("timestamp") if isinstance(row, dict) else None
        time = unix_time(timestamp) if isinstance(timestamp, str) else None
        value = _level(row.get("value")) if time is not None else None
        if time is not None and value is not None:
            found.setdefault(time // _QUARTER, (time, value))
    ordered = sorted(found.values())
    return LevelSeries([time for time, _ in ordered], [value for _, value in ordered])
