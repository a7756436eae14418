"""Parser for hourly measurements of DWD stations (POI files, CSV)."""

from collections.abc import Iterator
from datetime import UTC, datetime

from quartet.kernel.errors import AppError
from quartet.wind.observations.types import Measurement
from quartet.wind.observations.wind_groups import plausible

# Spelled with spaces exactly as in the header.
_WIND = "mean_wind_speed_during last_10_min_at_10_meters_above_ground"
_DIRECTION = "mean_wind_direction_during_last_10 min_at_10_meters_above_ground"
_GUST = "maximum_wind_speed_last_hour"
_KNOTS = {"km/h": 1000 / 1852, "m/s": 3600 / 1852}
_HEADERS = 3


def parse_poi(text: str) -> Iterator[Measurement]:
    rows = [line.split(";") for line in text.splitlines()]
    try:
        header, units = rows[0], rows[1]
        wind, direction, gust = (header.index(name) for name in (_WIND, _DIRECTION, _GUST))
        factor, gust_factor = _KNOTS[units[wind]], _KNOTS[units[gust]]
    except (IndexError, KeyError, ValueError) as error:
        raise AppError(502, "report_unreadable") from error
    for row in rows[_HEADERS:]:
        if len(row) == len(header):
            values = _number(row[wind]), _number(row[direction]), _number(row[gust])
            yield from _measurement(row, values, (factor, gust_factor))


def _measurement(
    row: list[str],
    values: tuple[float | None, float | None, float | None],
    knots: tuple[float, float],
) -> Iterator[Measurement]:
    wind, direction, gust = values
    try:
        time = datetime.strptime(f"{row[0]} {row[1]}", "%d.%m.%y %H:%M").replace(tzinfo=UTC)
    except ValueError:
        return
    if wind is None:
        return
    found = plausible(
        round(wind * knots[0], 1),
        None if gust is None else round(gust * knots[1], 1),
        None if direction is None else round(direction),
    )
    if found:
        yield Measurement(int(time.timestamp()), found.wind, found.direction, "poi", found.gust)


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None
