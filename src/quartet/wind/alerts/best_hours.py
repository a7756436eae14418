"""Replaces the wind of alerts that follow no model with that of Best."""

from collections.abc import Sequence

import numpy as np

from quartet.wind.alerts.hourly import Hourly, Ints, hourly, read_forecast, read_spread
from quartet.wind.alerts.local_time import HOUR
from quartet.wind.blend.answers import BlendInputs
from quartet.wind.blend.place import leads_of
from quartet.wind.blend.prediction import ModelWinds, blend_places, chances
from quartet.wind.blend.spreads import Spreads
from quartet.wind.grid.arrays import Doubles, Floats


def with_best(
    weather: Hourly,
    inputs: BlendInputs,
    lats: Doubles,
    lons: Doubles,
    follow: Sequence[bool],
    least: Doubles | None = None,
) -> Hourly:
    """Return the weather with the wind of Best in the rows of `follow`.

    With `least` also the probability of at least that many knots, in percent.
    """
    hours = weather.wind.shape[1]
    if not hours:
        return weather
    best = blend_places(_model_winds(inputs, lats, lons, weather.first, hours), inputs.learnt)
    found = hourly(weather.first, best.u, best.v, best.gust)
    # Where no current forecast has the place, the model of the alert is used.
    replaced = np.array(follow)[:, None] & ~np.isnan(best.wind)
    chance = None
    if least is not None:
        percent = 100 * chances(best, inputs.shares, least)
        chance = np.where(replaced, percent, np.nan).astype(np.float32)
    return weather._replace(
        chance=chance,
        wind=np.where(replaced, found.wind, weather.wind),
        gust=np.where(replaced, found.gust, weather.gust),
        degrees=np.where(replaced, found.degrees, weather.degrees),
        u=np.where(replaced, found.u, weather.u),
        v=np.where(replaced, found.v, weather.v),
    )


def _model_winds(
    inputs: BlendInputs, lats: Doubles, lons: Doubles, first: int, hours: int
) -> ModelWinds:
    shape = (len(inputs.forecasts), len(lats), hours)
    rows: Floats = np.full((3, *shape), np.nan, np.float32)
    lead: Floats = np.full((shape[0], hours), np.nan, np.float32)
    left: Floats = np.zeros((shape[0], hours), np.float32)
    wanted = first + HOUR * np.arange(hours, dtype=np.int64)
    for number, forecast in enumerate(inputs.forecasts):
        if forecast is None:
            continue
        found = read_forecast(forecast, lats, lons, first, hours)
        count = found.wind.shape[1]
        rows[0, number, :, :count], rows[1, number, :, :count] = found.u, found.v
        rows[2, number, :, :count] = found.gust / 10
        lead[number], left[number] = leads_of(forecast, wanted)
    spreads = _spreads(inputs, lats, lons, wanted) if any(inputs.ensembles) else None
    return ModelWinds(first, rows[0], rows[1], rows[2], lead, left, spreads)


def _spreads(inputs: BlendInputs, lats: Doubles, lons: Doubles, wanted: Ints) -> Spreads:
    shape = (len(inputs.ensembles), len(lats), len(wanted))
    knots: Floats = np.full(shape, np.nan, np.float32)
    left: Floats = np.zeros((shape[0], shape[2]), np.float32)
    for number, ensemble in enumerate(inputs.ensembles):
        if ensemble is not None:
            knots[number] = read_spread(ensemble, lats, lons, int(wanted[0]), len(wanted))
            left[number] = (ensemble.times[-1] - wanted) / HOUR
    return Spreads(knots, left)
