"""Split a GRIB2 file into its fields by the lengths of its sections, before it is decoded.

A message may hold several fields (older NCEP files put u and v into one); each becomes a message of
its own. Lengths and numbers of points are checked first, because a few bytes may claim billions of
points.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from quartet.wind.models.refused import Refused

# The largest grid that is read has three million cells.
MAX_POINTS = 8_000_000
# A package of many variables and hours has a few hundred fields; one may take only five bytes.
MAX_FIELDS = 2000

Section = bytes | memoryview

_HEAD = 16
_END = b"7777"
_SAME_BITMAP = 254
# Offsets of the number of points in the grid and packing sections.
_COUNTS_AT = {3: 6, 5: 5}


@dataclass(frozen=True)
class RawField:
    """One field as a GRIB2 message, with its code table numbers."""

    discipline: int
    category: int
    number: int
    message: bytes = field(repr=False)

    @property
    def parameter(self) -> tuple[int, int, int]:
        return self.discipline, self.category, self.number


def fields_of(data: bytes) -> Iterator[RawField]:
    """Yield every field of a file; raises `Refused` if it is truncated or not GRIB2."""
    if data[:4] != b"GRIB":
        raise Refused("not_grib")
    start = count = 0
    while start < len(data):
        end = start + _length(data, start)
        for found in _fields(memoryview(data)[start:end]):
            count += 1
            if count > MAX_FIELDS:
                raise Refused("too_large")
            yield found
        start = end


def _length(data: bytes, start: int) -> int:
    head = data[start : start + _HEAD]
    if len(head) < _HEAD:
        raise Refused("truncated")
    if head[:4] != b"GRIB" or head[7] != 2:
        raise Refused("not_grib")
    length: int = struct.unpack_from(">Q", head, 8)[0]
    if start + length > len(data):
        raise Refused("truncated")
    if length < _HEAD + len(_END) or data[start + length - 4 : start + length] != _END:
        raise Refused("truncated")
    return length


def _fields(message: memoryview) -> Iterator[RawField]:
    latest: dict[int, Section] = {}
    bitmap: Section = b""
    sections = list(_sections(message))
    for number, section in sections:
        if number in _COUNTS_AT:
            _check_points(section, _COUNTS_AT[number])
        if number == 6:
            section = bitmap if section[5] == _SAME_BITMAP else section
            bitmap = section
        latest[number] = section
        if number == 7:
            head = bytes(message[:_HEAD])
            # Most messages hold one field, and need not be put together again.
            whole = message if len(latest) == len(sections) and bitmap else None
            yield _standalone(head, latest, whole)


def _sections(message: memoryview) -> Iterator[tuple[int, Section]]:
    place, last = _HEAD, len(message) - len(_END)
    while place < last:
        if place + 5 > last:
            raise Refused("truncated")
        length, number = struct.unpack_from(">IB", message, place)
        if length < 5 + (number == 6) or place + length > last:
            raise Refused("truncated")
        yield number, message[place : place + length]
        place += length


def _check_points(section: Section, place: int) -> None:
    if len(section) < place + 4:
        raise Refused("truncated")
    if struct.unpack_from(">I", section, place)[0] > MAX_POINTS:
        raise Refused("too_large")


def _standalone(head: bytes, latest: dict[int, Section], whole: memoryview | None) -> RawField:
    if not {1, 3, 4, 5, 6, 7} <= latest.keys() or len(latest[4]) < 11:
        raise Refused("truncated")
    category, number = latest[4][9], latest[4][10]
    if whole is not None:
        return RawField(head[6], category, number, bytes(whole))
    body = b"".join(latest[number] for number in sorted(latest))
    length = struct.pack(">Q", _HEAD + len(body) + len(_END))
    return RawField(head[6], category, number, head[:8] + length + body + _END)
