"""Parsing of tile coordinates and byte ranges in requests."""

import re
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.wind.basemap.hilbert import MAX_ZOOM

# Only one spelling per number, and only numbers of limited size.
_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


class TileAddress(NamedTuple):
    z: int
    x: int
    y: int


class ByteRange(NamedTuple):
    """Both ends are included."""

    first: int
    last: int

    @property
    def length(self) -> int:
        return self.last - self.first + 1


def parse_tile(z: str, x: str, y: str) -> TileAddress:
    if all(_NUMBER.fullmatch(text) for text in (z, x, y)):
        address = TileAddress(int(z), int(x), int(y))
        if address.z <= MAX_ZOOM and max(address.x, address.y) < 1 << address.z:
            return address
    raise AppError(404, "not_found")


def parse_range(text: str | None, size: int) -> ByteRange | None:
    """Parse a Range header; None means the whole file, also for invalid ranges (RFC 9110).

    Multiple ranges are rejected, because they are expensive and no map client uses them.
    """
    if text is None or not text.startswith("bytes="):
        return None
    if "," in text:
        raise AppError(416, "range_not_satisfiable")
    match = _RANGE.fullmatch(text)
    if match is None or match[0] == "bytes=-":
        return None
    first, last = match.groups()
    if first and last and int(first) > int(last):
        return None
    found = _bounds(first, last, size)
    if not 0 <= found.first <= found.last:
        raise AppError(416, "range_not_satisfiable")
    return found


def _bounds(first: str, last: str, size: int) -> ByteRange:
    if not first:
        return ByteRange(max(size - int(last), 0), size - 1)
    return ByteRange(int(first), min(int(last), size - 1) if last else size - 1)
