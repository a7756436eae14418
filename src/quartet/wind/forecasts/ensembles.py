"""Write the quantiles of ensembles at a place to JSON."""

from collections.abc import Iterable

import msgspec
import numpy as np
from msgspec import Raw

from quartet.wind.grid.forecast import Forecast
from quartet.wind.grid.layout import ENSEMBLE_CHANNELS

_SHOWN = ("p10", "p50", "p90")
_ROWS = [ENSEMBLE_CHANNELS.index(name) for name in _SHOWN]


def ensembles_json(lat: float, lon: float, forecasts: Iterable[Forecast]) -> Raw | None:
    """Return the JSON of a list of `EnsembleSeries`, of the ensembles that have the place."""
    series = [text for each in forecasts if (text := _series(each, lat, lon)) is not None]
    return Raw(b"[" + b",".join(series) + b"]") if series else None


def _series(forecast: Forecast, lat: float, lon: float) -> bytes | None:
    sample = forecast.sample(lat, lon)
    if sample is None or np.isnan(sample).all():
        return None
    rows = np.round(sample[_ROWS].astype(np.float64), 1).tolist()
    # Numbers that are not finite become null.
    parts = (
        b',"%b":%b' % (name.encode(), msgspec.json.encode(row))
        for name, row in zip(_SHOWN, rows, strict=True)
    )
    return b"".join((forecast.json_head, *parts, b"}"))
