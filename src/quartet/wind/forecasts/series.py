"""Write the series of a place, of all models at once, straight to JSON."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

import numpy as np
from msgspec import Raw

from quartet.wind.forecasts.rows import Rows, Spans
from quartet.wind.forecasts.types import SeriesNotice
from quartet.wind.grid.forecast import Forecast
from quartet.wind.grid.layout import STEPS_PER_BLOCK
from quartet.wind.grid.reading import Around, has_gaps, interpolated
from quartet.wind.grid.speed import wind_of


class _Found(NamedTuple):
    """A forecast whose area contains the place, with the corners of each of its parts."""

    forecast: Forecast
    arounds: list[Around]


def series_at(
    lat: float, lon: float, forecasts: Iterable[Forecast], outdated: Collection[str] = ()
) -> Raw | None:
    """Return the JSON of a list of `Series`, of the forecasts whose area contains the place."""
    found = [each for forecast in forecasts if (each := _find(forecast, lat, lon)) is not None]
    parts = _series(found, outdated) if found else []
    if not parts:
        return None
    # Joined once: moving the numbers costs as much as interpolating them.
    parts[0] = b"["
    return Raw(b"".join((*parts, b"]")))


def _find(forecast: Forecast, lat: float, lon: float) -> _Found | None:
    arounds = [part.around(lat, lon) for part in forecast.parts]
    if arounds[0] is None:
        return None
    found = [around for around in arounds if around is not None]
    if len(found) < len(arounds):
        # An older run may have had another grid, which does not reach this place.
        return _Found(forecast.alone, found[:1])
    return _Found(forecast, found)


def _series(found: list[_Found], outdated: Collection[str]) -> list[bytes | memoryview]:
    """Return the parts of the JSON, each series with a comma in front of it."""
    # All at once: for short rows numpy's calls cost more than its arithmetic.
    arounds = [around for each in found for around in each.arounds]
    blocks = [len(around.numbers) for around in arounds]
    weights = np.array([around.weights for around in arounds], np.float32).repeat(blocks, axis=0)
    numbers = np.concatenate([around.numbers for around in arounds])
    gaps = has_gaps(numbers)
    rows = Rows(wind_of(interpolated(numbers, weights, gaps=gaps)).rows, gaps=gaps)
    parts: list[bytes | memoryview] = []
    start = 0
    for forecast, own in found:
        spans: Spans = []
        for part, around in zip(forecast.parts, own, strict=True):
            first = start + part.first % STEPS_PER_BLOCK
            spans.append((first, first + len(part.run.times) - part.first))
            start += len(around.numbers) * STEPS_PER_BLOCK
        count = len(forecast.times)
        if rows.missing_wind(spans) < count:
            notice = _notice(forecast, rows.missing_gust(spans), count, outdated)
            closing = b"}" if notice is None else b',"notice":"%b"}' % notice.encode()
            parts += (b",", forecast.json_head, *rows.json(spans), closing)
    return parts


def _notice(
    forecast: Forecast, missing_gusts: int, count: int, outdated: Collection[str]
) -> SeriesNotice | None:
    if forecast.model in outdated:
        return "outdated"
    if forecast.partial:
        return "partial"
    if not missing_gusts:
        return None
    return "gust_missing" if missing_gusts == count else "gust_partial"
