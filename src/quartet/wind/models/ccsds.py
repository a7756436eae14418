"""Unpack fields with CCSDS packing, straight with the library that ecCodes uses for it.

ecCodes converts the integers one by one, which takes longer than finding them. Fields that this
module does not know are left to ecCodes.
"""

import ctypes
import importlib.util
import math
import struct
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quartet.wind.grid.arrays import Floats
from quartet.wind.models.refused import Refused

_TEMPLATE = 42
_MOST_BITS = 16
# Flags of the library: signed integers, three bytes each, and the most significant byte first.
_SIGNED, _THREE_BYTES, _BIG_ENDIAN = 1, 2, 4
_NO_BITMAP, _OWN_BITMAP = 255, 0
_HEAD = 16


class _Stream(ctypes.Structure):
    _fields_ = (
        ("next_in", ctypes.c_void_p),
        ("avail_in", ctypes.c_size_t),
        ("total_in", ctypes.c_size_t),
        ("next_out", ctypes.c_void_p),
        ("avail_out", ctypes.c_size_t),
        ("total_out", ctypes.c_size_t),
        ("bits_per_sample", ctypes.c_uint),
        ("block_size", ctypes.c_uint),
        ("rsi", ctypes.c_uint),
        ("flags", ctypes.c_uint),
        ("state", ctypes.c_void_p),
    )


class _Packing(NamedTuple):
    """Section 5 with template 5.42; a value is `integer * factor + lowest`."""

    size: int
    lowest: float
    factor: float
    bits: int
    flags: int
    block_size: int
    rsi: int


def unpack(message: bytes) -> Floats | None:
    """Return the values of a message with one field, NaN for missing ones.

    None if the packing is another one; raises `Refused` if the packed integers are damaged.
    """
    sections = _sections(message)
    packing = _packing(sections[5])
    library = _library()
    bitmap = sections[6][5]
    if packing is None or library is None or bitmap not in (_NO_BITMAP, _OWN_BITMAP):
        return None
    integers = _integers(library, packing, sections[7])
    values = integers.astype(np.float32)
    values *= np.float32(packing.factor)
    values += np.float32(packing.lowest)
    (points,) = struct.unpack_from(">I", sections[3], 6)
    if bitmap == _OWN_BITMAP:
        return _spread(values, sections[6], points)
    if packing.size != points:
        raise Refused("unreadable")
    return values


def _sections(message: bytes) -> dict[int, memoryview]:
    """Split a message whose lengths `fields_of` has checked."""
    found: dict[int, memoryview] = {}
    whole, place = memoryview(message), _HEAD
    while place + 5 < len(message):
        length, number = struct.unpack_from(">IB", message, place)
        found[number] = whole[place : place + length]
        place += length
    return found


def _packing(section: memoryview) -> _Packing | None:
    if len(section) < 25:
        return None
    size, template, reference, *scales = struct.unpack_from(">IHfHH", section, 5)
    bits, flags, block_size = section[19], section[21], section[22]
    if template != _TEMPLATE or not 0 < bits <= _MOST_BITS or flags & _SIGNED:
        return None
    binary, decimal = map(_signed, scales)
    try:
        power = 10.0**-decimal
        factor, lowest = math.ldexp(power, binary), reference * power
    except OverflowError:
        raise Refused("unreadable") from None
    flags &= ~(_THREE_BYTES | _BIG_ENDIAN)
    if sys.byteorder == "big":
        flags |= _BIG_ENDIAN
    (rsi,) = struct.unpack_from(">H", section, 23)
    return _Packing(size, lowest, factor, bits, flags, block_size, rsi)


def _signed(number: int) -> int:
    """Convert a number whose first bit is its sign."""
    return -(number & 0x7FFF) if number & 0x8000 else number


def _integers(
    library: ctypes.CDLL, packing: _Packing, section: memoryview
) -> NDArray[np.unsignedinteger[Any]]:
    integers = np.empty(packing.size, np.dtype("u1" if packing.bits <= 8 else "u2"))
    packed = np.frombuffer(section, np.uint8)[5:]
    stream = _Stream(
        next_in=packed.ctypes.data,
        avail_in=packed.nbytes,
        next_out=integers.ctypes.data,
        avail_out=integers.nbytes,
        bits_per_sample=packing.bits,
        block_size=packing.block_size,
        rsi=packing.rsi,
        flags=packing.flags,
    )
    status = library.aec_buffer_decode(ctypes.byref(stream))
    if status or stream.total_out != integers.nbytes:
        raise Refused("unreadable")
    return integers


def _spread(values: Floats, section: memoryview, points: int) -> Floats:
    """Put values to the points whose bit is set."""
    bits = np.unpackbits(np.frombuffer(section, np.uint8)[6:], count=points)
    there = bits.view(np.bool_)
    if len(there) != points or int(bits.sum()) != len(values):
        raise Refused("unreadable")
    spread = np.full(points, np.nan, np.float32)
    spread[there] = values
    return spread


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL | None:
    """Load the library from the package of ecCodes; None if it is not where it is expected."""
    found = importlib.util.find_spec("eccodeslib")
    for folder in (found.submodule_search_locations or ()) if found else ():
        for path in sorted(Path(folder).glob("lib*/libaec.*")):
            try:
                library = ctypes.CDLL(str(path))
                library.aec_buffer_decode.argtypes = [ctypes.POINTER(_Stream)]
            except (OSError, AttributeError):
                continue
            return library
    return None
