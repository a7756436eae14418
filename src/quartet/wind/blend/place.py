"""Read the forecasts of all models at one place, interpolated to the hour."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from quartet.wind.blend.prediction import ModelWinds
from quartet.wind.blend.spreads import Spreads
from quartet.wind.grid.arrays import Floats
from quartet.wind.grid.spread import spread_of

if TYPE_CHECKING:
    from quartet.wind.grid.forecast import Forecast
    from quartet.wind.grid.land import Surface

_HOUR = 3600
# Do not interpolate between steps that are further apart.
_WIDEST_GAP = 6 * _HOUR
_ROWS = 3


def model_winds_at(
    lat: float,
    lon: float,
    forecasts: "Sequence[Forecast | None]",
    first: int,
    hours: int,
    surface: "Surface | None" = None,
    ensembles: "Sequence[Forecast | None]" = (),
) -> ModelWinds:
    """Return what the models say, in the order of `forecasts`; None for a model without runs."""
    rows: Floats = np.full((_ROWS, len(forecasts), 1, hours), np.nan, np.float32)
    lead: Floats = np.full((len(forecasts), hours), np.nan, np.float32)
    left: Floats = np.zeros((len(forecasts), hours), np.float32)
    wanted = first + _HOUR * np.arange(hours, dtype=np.int64)
    for number, forecast in enumerate(forecasts):
        sample = forecast.sample(lat, lon, surface) if forecast is not None else None
        if forecast is not None and sample is not None:
            rows[:, number, 0] = _hourly(sample, np.array(forecast.times, np.int64), wanted)
            lead[number], left[number] = leads_of(forecast, wanted)
    spreads = _spreads_at(lat, lon, ensembles, wanted, surface) if any(ensembles) else None
    return ModelWinds(first, rows[0], rows[1], rows[2], lead, left, spreads)


def _spreads_at(
    lat: float,
    lon: float,
    ensembles: "Sequence[Forecast | None]",
    wanted: "np.ndarray[tuple[int, ...], np.dtype[np.int64]]",
    surface: "Surface | None",
) -> Spreads:
    found: Floats = np.full((len(ensembles), 1, len(wanted)), np.nan, np.float32)
    left: Floats = np.zeros((len(ensembles), len(wanted)), np.float32)
    for number, ensemble in enumerate(ensembles):
        sample = ensemble.sample(lat, lon, surface) if ensemble is not None else None
        if ensemble is not None and sample is not None:
            times = np.array(ensemble.times, np.int64)
            found[number, 0] = spread_of(_hourly(sample, times, wanted))
            left[number] = (times[-1] - wanted) / _HOUR
    return Spreads(found, left)


def leads_of(
    forecast: "Forecast", wanted: "np.ndarray[tuple[int, ...], np.dtype[np.int64]]"
) -> tuple[Floats, Floats]:
    """Return the hours since the start of the run that has each hour, and those to the end."""
    run = np.full(len(wanted), forecast.run, np.int64)
    for part in forecast.parts[1:]:
        run[wanted >= part.times[0]] = part.run.run
    lead = np.maximum(wanted - run, 0) / _HOUR
    return lead.astype(np.float32), ((forecast.times[-1] - wanted) / _HOUR).astype(np.float32)


def _hourly(
    sample: Floats,
    times: "np.ndarray[tuple[int, ...], np.dtype[np.int64]]",
    wanted: "np.ndarray[tuple[int, ...], np.dtype[np.int64]]",
) -> Floats:
    before = np.clip(np.searchsorted(times, wanted, "right") - 1, 0, None)
    after = np.where(times[before] == wanted, before, np.minimum(before + 1, len(times) - 1))
    gap = np.maximum(times[after] - times[before], 1)
    share = (wanted - times[before]) / gap
    low, high = sample[:, before], sample[:, after]
    found = np.where(share == 0, low, low + (high - low) * share)
    outside = (gap > _WIDEST_GAP) | (wanted < times[0]) | (wanted > times[-1])
    found[:, outside] = np.nan
    return np.asarray(found, np.float32)
