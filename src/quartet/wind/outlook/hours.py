"""Forecast hours at a place, combined from several models in order of accuracy."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quartet.wind.blend.types import BEST
from quartet.wind.grid.weather import wind_of
from quartet.wind.places.coordinates import Coordinates

if TYPE_CHECKING:
    from quartet.wind.blend.answers import BlendInputs
    from quartet.wind.grid.forecast import Forecast

_HOUR = 3600

Numbers = NDArray[np.float64]
Times = NDArray[np.int64]


class HourSource(NamedTuple):
    """The model run, or the blend, that an hour comes from."""

    model: str
    run: int


class ForecastHours(NamedTuple):
    """Consecutive steps of one or more hours; `gust` is NaN if not forecast."""

    start: Times
    end: Times
    wind: Numbers
    gust: Numbers
    direction: Numbers
    runs: list[HourSource]
    # The probability of the wanted wind, by Best.
    chance: Numbers | None = None

    @property
    def steps(self) -> int:
        return len(self.start)


def hours_at(
    lat: float, lon: float, runs: "Iterable[Forecast]", now: int, until: int
) -> ForecastHours | None:
    """Combine `runs`, best first; each one continues where the previous ones end."""
    cursor = now // _HOUR * _HOUR
    parts: list[ForecastHours] = []
    for run in runs:
        part = _part(run, lat, lon, cursor, until)
        if part is not None:
            parts.append(part)
            cursor = int(part.end[-1])
        if cursor >= until:
            break
    if not parts:
        return None
    return ForecastHours(
        np.concatenate([part.start for part in parts]),
        np.concatenate([part.end for part in parts]),
        np.concatenate([part.wind for part in parts]),
        np.concatenate([part.gust for part in parts]),
        np.concatenate([part.direction for part in parts]),
        [run for part in parts for run in part.runs],
    )


def _part(run: "Forecast", lat: float, lon: float, cursor: int, until: int) -> ForecastHours | None:
    times = np.array(run.times, np.int64)
    if len(times) < 2 or times[-1] < cursor:
        return None
    sample = run.sample(lat, lon, run.newest.water_spots.surface_of(lat, lon))
    if sample is None:
        return None
    # A step lasts until the next one; the last one as long as the one before it.
    ends = np.append(times[1:], 2 * times[-1] - times[-2])
    wind = wind_of(sample)
    wanted = (ends > cursor) & (times < until) & ~np.isnan(wind.wind)
    if not wanted.any():
        return None
    return ForecastHours(
        np.maximum(times[wanted], cursor),
        ends[wanted],
        wind.wind[wanted].astype(np.float64) / 10,
        wind.gust[wanted].astype(np.float64) / 10,
        wind.direction[wanted].astype(np.float64) % 360,
        [HourSource(run.model, run.run)] * int(wanted.sum()),
    )


def best_hours(
    place: Coordinates, inputs: "BlendInputs", now: int, until: int, least: float
) -> ForecastHours | None:
    """Return the hours of Best, or None if no model covers the place."""
    from quartet.wind.blend.place import model_winds_at
    from quartet.wind.blend.prediction import blend_places, chances

    first = now // _HOUR * _HOUR
    surface = inputs.water_spots.surface_of(*place)
    count = -(-(until - first) // _HOUR)
    winds = model_winds_at(
        place.lat, place.lon, inputs.forecasts, first, count, surface, inputs.ensembles
    )
    best = blend_places(winds, inputs.learnt)
    known = np.flatnonzero(~np.isnan(best.wind[0]))
    if not len(known):
        return None
    start = first + _HOUR * known.astype(np.int64)
    direction = np.degrees(np.arctan2(best.u[0], best.v[0]))[known] + 180
    return ForecastHours(
        start,
        start + _HOUR,
        np.round(best.wind[0][known].astype(np.float64), 1),
        np.round(best.gust[0][known].astype(np.float64), 1),
        np.rint(direction.astype(np.float64)) % 360,
        [HourSource(BEST, inputs.run)] * len(known),
        chances(best, inputs.shares, np.array([least]))[0][known],
    )
