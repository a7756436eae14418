"""Coordinates typed into the search box."""

import re

from quartet.kernel.errors import AppError
from quartet.wind.places.coordinates import Coordinates, parse_coordinates

_LONGEST = 80
_NUMBER = r"(\d{1,3}(?:[.,]\d{1,12})?)"
_PLAIN = re.compile(r"([+-]?\d{1,3}(?:\.\d{1,12})?)\s*[,;/ ]\s*([+-]?\d{1,3}(?:\.\d{1,12})?)", re.A)
_COMMAS = re.compile(r"([+-]?\d{1,3},\d{1,12})\s*[;/ ]\s*([+-]?\d{1,3},\d{1,12})", re.A)
_PART = rf"{_NUMBER}\s*°?\s*(?:{_NUMBER}\s*['\u2032]\s*)?(?:{_NUMBER}\s*(?:\"|\u2033|'')\s*)?"
_AFTER = re.compile(rf"{_PART}([NS])\s*[,;/ ]?\s*{_PART}([EWO])", re.A | re.I)
_BEFORE = re.compile(rf"([NS])\s*{_PART}\s*[,;/ ]?\s*([EWO])\s*{_PART}", re.A | re.I)


def typed_coordinates(text: str) -> Coordinates | None:
    """Parse decimal degrees with point or comma, or degrees and minutes; O is German for east."""
    # Single spaces, because rows of them could be divided among the parts in millions of ways.
    text = " ".join(text.split())
    if len(text) > _LONGEST:
        return None
    pair = _plain(text) or _lettered(text)
    if pair is None:
        return None
    try:
        return parse_coordinates([pair[0]], [pair[1]])
    except AppError:
        return None


def _plain(text: str) -> tuple[str, str] | None:
    match = _PLAIN.fullmatch(text) or _COMMAS.fullmatch(text)
    return (_point(match[1]), _point(match[2])) if match else None


def _lettered(text: str) -> tuple[str, str] | None:
    if match := _AFTER.fullmatch(text):
        lat, lon = match.groups()[:3], match.groups()[4:7]
        north, east = match[4], match[8]
    elif match := _BEFORE.fullmatch(text):
        lat, lon = match.groups()[1:4], match.groups()[5:8]
        north, east = match[1], match[5]
    else:
        return None
    return _signed(lat, north in "sS"), _signed(lon, east in "wW")


def _signed(parts: tuple[str | None, ...], negative: bool) -> str:
    degrees, minutes, seconds = (float(_point(part or "0")) for part in parts)
    value = degrees + minutes / 60 + seconds / 3600
    return f"{-value if negative else value:.6f}"


def _point(text: str) -> str:
    return text.replace(",", ".")
