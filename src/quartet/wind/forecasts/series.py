"""Write the series of a place, of all models at once, straight to JSON."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

import numpy as np
from msgspec import Raw

from quartet.wind.forecasts.numbers import Gaps, Numbers, Plan, plan_of
from quartet.wind.forecasts.types import SeriesNotice
from quartet.wind.grid.arrays import Floats
from quartet.wind.grid.forecast import Forecast, Read
from quartet.wind.grid.land import Surface
from quartet.wind.grid.layout import SCALE
from quartet.wind.grid.weather import place_vector, weather_into, wind_into

_SCALE = np.float32(SCALE)


class _Found:
    """The forecasts whose areas contain a place, and the corners of all of their parts."""

    def __init__(self) -> None:
        self.forecasts: list[Forecast] = []
        self.reads: list[Read] = []
        # Four for each part.
        self.points: list[int] = []
        self.weights: list[float] = []
        # Whether a model has both land and sea around the place.
        self.coast = False


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
    found = _Found()
    for forecast in forecasts:
        _find(forecast, lat, lon, surface, found)
    parts = _series(found, place_vector(lat, lon), outdated) if found.forecasts else []
    if not parts:
        return None
    parts[0] = b"["
    parts.append(b"]")
    return SeriesAt(Raw(b"".join(parts)), found.coast)


def _find(
    forecast: Forecast, lat: float, lon: float, surface: Surface | None, found: _Found
) -> None:
    for number, read in enumerate(forecast.reads):
        around, land = read.corners(lat, lon), read.land
        if around is None:
            if not number:
                return
            # An older run may have had another grid, which does not reach this place.
            del found.reads[-number:], found.points[-4 * number :], found.weights[-4 * number :]
            _find(forecast.alone, lat, lon, surface, found)
            return
        if land is not None and land.is_coast(around[0]):
            found.coast = True
            around = around if surface is None else land.restrict(around, surface)
        points, weights = around
        found.reads.append(read)
        found.points += points
        found.weights += weights
    found.forecasts.append(forecast)


def _series(found: _Found, place: Floats, outdated: Collection[str]) -> list[bytes | memoryview]:
    """Return the parts of the JSON, each series with a comma in front of it."""
    plan = plan_of(tuple([each.columns for each in found.forecasts]))
    numbers = plan.spare.pop() if plan.spare else Numbers(plan)
    gaps = _interpolate(found, plan, place, numbers)
    parts: list[bytes | memoryview] = []
    for forecast, wind, gust, rows in zip(
        found.forecasts, gaps.wind, gaps.gust, numbers.texts(), strict=True
    ):
        count = len(forecast.times)
        if wind < count:
            notice = _notice(forecast, gust, count, outdated)
            closing = b"]}" if notice is None else b'],"notice":"%b"}' % notice.encode()
            parts += (b",", forecast.json_head, rows, closing)
    plan.spare.append(numbers)
    return parts


def _interpolate(found: _Found, plan: Plan, place: Floats, numbers: Numbers) -> Gaps:
    """Interpolate all series at once, into the rows of the answer."""
    # For short rows numpy's calls cost more than its arithmetic.
    points = np.array(found.points).reshape(-1, 4)
    for read, part, around in zip(found.reads, numbers.parts, points, strict=True):
        read.into(around, part)
    weights = np.array(found.weights, np.float32).reshape(-1, 4) * _SCALE
    gaps = numbers.interpolate(weights.take(plan.part_of_block, axis=0))
    wind_into(numbers.wind_channels, numbers.wind)
    # Half knots: no model knows gusts better, and the answer stays small.
    np.add(numbers.gust, numbers.gust, out=numbers.gust)
    np.rint(numbers.gust, out=numbers.gust)
    weather_into(numbers.weather, plan.calendar, plan.before, place, numbers.symbols)
    return gaps


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
