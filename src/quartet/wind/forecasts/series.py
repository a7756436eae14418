"""Write the series of a place, of all models at once, straight to JSON."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

import numpy as np
from msgspec import Raw

from quartet.wind.forecasts.rows import Numbers, Plan, plan_of
from quartet.wind.forecasts.types import SeriesNotice
from quartet.wind.grid.arrays import Floats, Int16s
from quartet.wind.grid.forecast import Forecast, Read
from quartet.wind.grid.land import Surface
from quartet.wind.grid.layout import CHANNELS, NO_DATA, STEPS_PER_BLOCK, WIND_CHANNELS
from quartet.wind.grid.reading import interpolated
from quartet.wind.grid.speed import wind_into
from quartet.wind.grid.weather import place_vector, weather_into

_WIND = len(WIND_CHANNELS)
_CORNER_NUMBERS = (4, len(CHANNELS) * STEPS_PER_BLOCK)
# The block behind those of the forecasts; see `Plan`.
_CONSTANTS: Int16s = np.array([0] + [NO_DATA] * (STEPS_PER_BLOCK - 1), np.int16)
_CONSTANTS = np.tile(_CONSTANTS, len(CHANNELS))


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


def _series(found: _Found, place: Floats, outdated: Collection[str]) -> list[bytes]:
    """Return the parts of the JSON, each series with a comma in front of it."""
    plan = plan_of(tuple([each.columns for each in found.forecasts]))
    numbers = Numbers(plan)
    _interpolate(found, plan, place, numbers.rows)
    missing = numbers.missing()
    parts: list[bytes] = []
    for forecast, wind, gust, rows in zip(found.forecasts, *missing, numbers.texts(), strict=True):
        count = len(forecast.times)
        if wind < count:
            notice = _notice(forecast, gust, count, outdated)
            closing = b"]}" if notice is None else b'],"notice":"%b"}' % notice.encode()
            parts += (b",", forecast.json_head, rows, closing)
    return parts


def _interpolate(found: _Found, plan: Plan, place: Floats, rows: Floats) -> None:
    """Interpolate all series at once, into the rows of the answer."""
    # For short rows numpy's calls cost more than its arithmetic.
    numbers: Int16s = np.empty((len(plan.part_of_block), *_CORNER_NUMBERS), np.int16)
    numbers[-1] = _CONSTANTS
    points = np.array(found.points).reshape(-1, 4)
    for read, (start, end), of_part in zip(found.reads, plan.spans, points, strict=True):
        read.into(of_part, numbers[start:end])
    weights = np.array(found.weights, np.float32).reshape(-1, 4)
    # Nearly every answer has gaps, such as the steps behind the last one in its block.
    stored = interpolated(numbers, weights.take(plan.part_of_block, axis=0), gaps=True)
    wind_into(stored[:_WIND], rows[:_WIND])
    # Half knots: no model knows gusts better, and the answer stays small.
    gust = rows[1]
    gust += gust
    np.rint(gust, out=gust)
    weather_into(stored[_WIND:], plan.calendar, plan.before, place, rows[-1])
    rows[_WIND:-1] = stored[_WIND:]


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
