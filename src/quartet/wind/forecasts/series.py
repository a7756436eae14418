"""Write the series of a place, of all models at once, straight to JSON."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

import numpy as np
from msgspec import Raw

from quartet.wind.forecasts.rows import Plan, missing_of, plan_of, texts_of
from quartet.wind.forecasts.types import SeriesNotice
from quartet.wind.grid.arrays import Floats
from quartet.wind.grid.forecast import Forecast
from quartet.wind.grid.layout import WIND_CHANNELS
from quartet.wind.grid.reading import Around, has_gaps, interpolated
from quartet.wind.grid.speed import wind_of
from quartet.wind.grid.weather import place_vector, weather_of

_WIND = len(WIND_CHANNELS)


class _Found(NamedTuple):
    """A forecast whose area contains the place, with the corners of each of its parts."""

    forecast: Forecast
    arounds: list[Around]


def series_at(
    lat: float, lon: float, forecasts: Iterable[Forecast], outdated: Collection[str] = ()
) -> Raw | None:
    """Return the JSON of a list of `Series`, of the forecasts whose area contains the place."""
    found = [each for forecast in forecasts if (each := _find(forecast, lat, lon)) is not None]
    parts = _series(found, lat, lon, outdated) if found else []
    if not parts:
        return None
    # Joined once: moving the numbers costs as much as interpolating them.
    parts[0] = b"["
    # Without the spaces between numbers, which would make a compressed answer larger.
    return Raw(b"".join((*parts, b"]")).translate(None, b" "))


def _find(forecast: Forecast, lat: float, lon: float) -> _Found | None:
    arounds = [part.around(lat, lon) for part in forecast.parts]
    if arounds[0] is None:
        return None
    found = [around for around in arounds if around is not None]
    if len(found) < len(arounds):
        # An older run may have had another grid, which does not reach this place.
        return _Found(forecast.alone, found[:1])
    return _Found(forecast, found)


def _series(
    found: list[_Found], lat: float, lon: float, outdated: Collection[str]
) -> list[bytes | memoryview]:
    """Return the parts of the JSON, each series with a comma in front of it."""
    plan = plan_of(tuple(forecast.columns for forecast, _ in found))
    numbers = _numbers(found, plan, place_vector(lat, lon))
    parts: list[bytes | memoryview] = []
    texts, missing = texts_of(numbers, plan), missing_of(numbers, plan)
    for (forecast, _), text, lacks in zip(found, texts, missing, strict=True):
        count = len(forecast.times)
        if lacks.wind < count:
            notice = _notice(forecast, lacks.gust, count, outdated)
            closing = b"]}" if notice is None else b'],"notice":"%b"}' % notice.encode()
            parts += (b",", forecast.json_head, text, closing)
    return parts


def _numbers(found: list[_Found], plan: Plan, place: Floats) -> Floats:
    """Interpolate and convert all series at once, in the order of the rows of the answer."""
    # For short rows numpy's calls cost more than its arithmetic.
    arounds = [around for each in found for around in each.arounds]
    blocks = [len(around.numbers) for around in arounds]
    weights = np.array([around.weights for around in arounds], np.float32).repeat(blocks, axis=0)
    numbers = np.concatenate([around.numbers for around in arounds])
    rows = interpolated(numbers, weights, gaps=has_gaps(numbers))
    weather = weather_of(rows[_WIND:], plan.calendar, plan.starts, place)
    return np.concatenate((wind_of(rows[:_WIND]).rows, weather))


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
