"""Write the waves of a place to JSON."""

from collections.abc import Collection, Iterable

import msgspec
import numpy as np
from msgspec import Raw

from quartet.wind.grid.arrays import Int16s
from quartet.wind.grid.forecast import Forecast
from quartet.wind.grid.layout import DIRECTION_BASE, NO_DATA, SCALE
from quartet.wind.grid.waves import SeaPoint, waves_at

_encode = msgspec.json.Encoder().encode
# The names in the answer, in the order of the channels.
_NAMES = ("height", "period", "direction", "swellHeight", "swellPeriod", "swellDirection")
# A forecast is not more exact than this, and the answer stays small.
_DEGREES = 5


def waves_json(
    lat: float, lon: float, forecasts: Iterable[Forecast], outdated: Collection[str] = ()
) -> Raw | None:
    """Return the JSON of a list of `WaveSeries`, of the forecasts that have a point at sea."""
    series = [
        _series(forecast, found, outdated)
        for forecast in forecasts
        if (found := waves_at(forecast, lat, lon)) is not None
    ]
    return Raw(b"[" + b",".join(series) + b"]") if series else None


def _series(forecast: Forecast, found: SeaPoint, outdated: Collection[str]) -> bytes:
    members: dict[str, object] = {"lat": found.lat, "lon": found.lon}
    for number, row in enumerate(found.rows):
        values = _values(number % 3, row)
        # A model without swell, and fields that did not arrive, are left out.
        if any(value is not None for value in values):
            members[_NAMES[number]] = values
    if forecast.model in outdated:
        members["notice"] = "outdated"
    elif forecast.partial:
        members["notice"] = "partial"
    return forecast.json_head + b"," + _encode(members).removeprefix(b"{")


def _values(kind: int, row: Int16s) -> list[float | None]:
    """Return metres with a decimal, whole seconds, or degrees."""
    if kind == 0:
        values = (np.rint(row * (10 * SCALE)) / 10).tolist()
    elif kind == 1:
        values = np.rint(row * SCALE).astype(np.int64).tolist()
    else:
        steps = np.rint((row * SCALE + DIRECTION_BASE) / _DEGREES).astype(np.int64)
        values = (steps * _DEGREES % 360).tolist()
    if int(row.min()) > NO_DATA:
        return values  # type: ignore[no-any-return]
    missing = (row == NO_DATA).tolist()
    return [None if lacks else value for value, lacks in zip(values, missing, strict=True)]
