"""Write the series of a place, of all models at once, straight to JSON."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

import numpy as np
from msgspec import Raw

from quartet.wind.forecasts.rows import KINDS, Plan, plan_of, rows_of
from quartet.wind.forecasts.types import SeriesNotice
from quartet.wind.grid.arrays import Floats, Int16s
from quartet.wind.grid.forecast import Forecast
from quartet.wind.grid.geometry import Corners
from quartet.wind.grid.land import Surface
from quartet.wind.grid.layout import CHANNELS, STEPS_PER_BLOCK, WIND_CHANNELS
from quartet.wind.grid.reading import interpolated
from quartet.wind.grid.speed import wind_into
from quartet.wind.grid.weather import place_vector, weather_into

_WIND = len(WIND_CHANNELS)
_HALF = np.float32(0.5)
_CORNER_NUMBERS = (4, len(CHANNELS) * STEPS_PER_BLOCK)


class _Found(NamedTuple):
    """A forecast whose area contains the place, with the corners of each of its parts."""

    forecast: Forecast
    corners: list[Corners]
    # Whether a model has both land and sea around the place.
    coast: bool = False


class SeriesAt(NamedTuple):
    """The JSON of a list of `Series`, and whether the surface makes a difference."""

    json: Raw
    coast: bool


def series_at(
    lat: float,
    lon: float,
    forecasts: Iterable[Forecast],
    outdated: Collection[str] = (),
    surface: Surface | None = None,
) -> SeriesAt | None:
    """Read the forecasts whose area contains the place.

    Near a coast only points of a given surface count, if the model has any around the place.
    """
    found = [
        each for forecast in forecasts if (each := _find(forecast, lat, lon, surface)) is not None
    ]
    parts = _series(found, lat, lon, outdated) if found else []
    if not parts:
        return None
    parts[0] = b"["
    parts.append(b"]")
    return SeriesAt(Raw(b"".join(parts)), any(each.coast for each in found))


def _find(forecast: Forecast, lat: float, lon: float, surface: Surface | None) -> _Found | None:
    corners: list[Corners] = []
    coast = False
    for read in forecast.reads:
        around, land = read.run.corners(lat, lon), read.run.land
        if around is None:
            # An older run may have had another grid, which does not reach this place.
            return _Found(forecast.alone, corners[:1], coast) if corners else None
        if land is not None and land.is_coast(around.points):
            coast = True
            around = around if surface is None else land.restrict(around, surface)
        corners.append(around)
    return _Found(forecast, corners, coast)


def _series(found: list[_Found], lat: float, lon: float, outdated: Collection[str]) -> list[bytes]:
    """Return the parts of the JSON, each series with a comma in front of it."""
    plan = plan_of(tuple(each.forecast.columns for each in found))
    numbers = _numbers(found, plan, place_vector(lat, lon))
    parts: list[bytes] = []
    for (forecast, _, _), rows in zip(found, rows_of(numbers, plan), strict=True):
        count = len(forecast.times)
        if rows.missing_wind < count:
            notice = _notice(forecast, rows.missing_gust, count, outdated)
            closing = b"]}" if notice is None else b'],"notice":"%b"}' % notice.encode()
            parts += (b",", forecast.json_head, rows.text, closing)
    return parts


def _numbers(found: list[_Found], plan: Plan, place: Floats) -> Floats:
    """Interpolate all series at once, in the order of the rows of the answer."""
    # For short rows numpy's calls cost more than its arithmetic.
    numbers: Int16s = np.empty((len(plan.part_of_block), *_CORNER_NUMBERS), np.int16)
    weights: list[float] = []
    start = 0
    for forecast, corners, _ in found:
        for read, (points, weight) in zip(forecast.reads, corners, strict=True):
            end = start + read.blocks
            read.into(points, numbers[start:end])
            weights += weight
            start = end
    of_parts = np.array(weights, np.float32).reshape(-1, 4)
    of_blocks = of_parts.take(plan.part_of_block, axis=0)
    # Nearly every answer has gaps, such as the steps behind the last one in its block.
    stored = interpolated(numbers, of_blocks, gaps=True)
    rows: Floats = np.empty((len(KINDS), stored.shape[1]), np.float32)
    wind_into(stored[:_WIND], rows[:_WIND])
    # Half knots: no model knows gusts better, and the answer stays small. Never below the wind.
    speed, gust = rows[:2]
    gust += gust
    np.rint(gust, out=gust)
    gust *= _HALF
    np.maximum(gust, speed, out=gust)
    weather_into(stored[_WIND:], plan.calendar, plan.starts, place, rows[_WIND:])
    return rows


def _notice(
    forecast: Forecast, missing_gusts: float, count: int, outdated: Collection[str]
) -> SeriesNotice | None:
    if forecast.model in outdated:
        return "outdated"
    if forecast.partial:
        return "partial"
    if not missing_gusts:
        return None
    return "gust_missing" if missing_gusts == count else "gust_partial"
