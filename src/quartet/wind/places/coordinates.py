"""Coordinates in requests, rounded to hundredths of a degree."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from quartet.kernel.errors import AppError

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_LONGEST = 64
_HUNDREDTH = Decimal("0.01")


class Coordinates(NamedTuple):
    lat: float
    lon: float


def parse_coordinates(lats: Sequence[str], lons: Sequence[str]) -> Coordinates:
    """Parse query parameters, each of which may be missing or repeated."""
    lat, lon = _number(lats, 90), _number(lons, 180)
    # Longitudes 180 and -180 are the same.
    return Coordinates(_snapped(lat), _snapped(-lon if lon == 180 else lon))


def _number(texts: Sequence[str], limit: int) -> Decimal:
    text = texts[0] if len(texts) == 1 else ""
    if len(text) > _LONGEST or not _NUMBER.fullmatch(text):
        raise AppError(400, "invalid_coordinates")
    number = Decimal(text)
    if abs(number) > limit:
        raise AppError(400, "invalid_coordinates")
    return number


def snapped(number: float) -> float:
    """Round a coordinate like those in requests."""
    return _snapped(Decimal(str(number)))


def _snapped(number: Decimal) -> float:
    # Round the decimal digits, not a float, which may miss an exact half. Adding 0.0 turns -0.0
    # into 0.0.
    snapped = float(number.quantize(_HUNDREDTH)) + 0.0
    return -180.0 if snapped == 180 else snapped
