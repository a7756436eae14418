"""Write the waves of a place straight to JSON."""

from collections.abc import Collection, Iterable

import numpy as np
from msgspec import Raw
from numpy.typing import NDArray

from quartet.wind.grid.arrays import Int16s
from quartet.wind.grid.forecast import Forecast
from quartet.wind.grid.layout import DIRECTION_BASE, NO_DATA, SCALE
from quartet.wind.grid.waves import SeaPoint, waves_at

# The names in the answer, in the order of the channels.
_NAMES = (b"height", b"period", b"direction", b"swellHeight", b"swellPeriod", b"swellDirection")
# Stored numbers become tenths of a metre, seconds, and steps of 5 degrees: a forecast is not more
# exact, and the answer stays small.
_DEGREES = 5
_FACTORS = (10 * SCALE, SCALE, SCALE / _DEGREES)
_PLUS = (0, 0, DIRECTION_BASE / _DEGREES)
# As many as can be stored of each kind.
_HEIGHTS = [f"{tenths / 10}" for tenths in range(3278)]
_PERIODS = [str(seconds) for seconds in range(329)]
_DIRECTIONS = [str(degrees % 360) for degrees in range(0, 361, _DEGREES)]
# Numpy picks texts of the same length from a table faster than Python formats numbers.
_WIDTH = 6
_TEXTS: NDArray[np.bytes_] = np.array(
    [f"{text},".rjust(_WIDTH) for text in (*_HEIGHTS, *_PERIODS, *_DIRECTIONS, "null")],
    f"S{_WIDTH}",
)
_NOTHING = len(_TEXTS) - 1
_FIRST = (0, len(_HEIGHTS), len(_HEIGHTS) + len(_PERIODS))
_SCALED = np.array([_FACTORS * 2], np.float32).T
_PLACED = np.array([[plus + first for plus, first in zip(_PLUS, _FIRST, strict=True)] * 2]).T


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
    parts = [forecast.json_head, b',"lat":%g,"lon":%g' % (found.lat, found.lon)]
    parts += _rows(found.rows)
    if forecast.model in outdated:
        parts.append(b',"notice":"outdated"')
    elif forecast.partial:
        parts.append(b',"notice":"partial"')
    return b"".join((*parts, b"}"))


def _rows(stored: Int16s) -> Iterable[bytes]:
    """Return the rows as members of an object.

    A model without swell, and fields that did not arrive, are left out.
    """
    count, columns = stored.shape
    places = np.rint(stored * _SCALED[:count] + _PLACED[:count]).astype(np.intp)
    missing = stored == NO_DATA
    places[missing] = _NOTHING
    text = _TEXTS.take(places).tobytes()
    length = columns * _WIDTH
    for number, lacks in enumerate(missing.sum(axis=1).tolist()):
        if lacks < columns:
            row = text[number * length : (number + 1) * length - 1]
            yield b',"%b":[%b]' % (_NAMES[number], row.translate(None, b" "))
