"""Header and directories of PMTiles version 3."""

import struct
import zlib
from bisect import bisect_right
from enum import IntEnum
from itertools import accumulate
from typing import NamedTuple, Self

MAGIC = b"PMTiles"
VERSION = 3
HEADER_BYTES = 127
_HEADER = struct.Struct("<7sB11Q6B4iB2i")
_E7 = 10_000_000
# Directories of a whole planet have a few hundred thousand bytes.
_LARGEST_PART = 32 * 1024 * 1024


class Compression(IntEnum):
    UNKNOWN = 0
    NONE = 1
    GZIP = 2


class UnreadableArchive(ValueError):
    """The file is not an archive, is damaged, or uses an unsupported feature."""


class ArchiveHeader(NamedTuple):
    """The header fields in file order; coordinates in ten-millionths of a degree."""

    magic: bytes
    version: int
    root_offset: int
    root_length: int
    metadata_offset: int
    metadata_length: int
    leaves_offset: int
    leaves_length: int
    data_offset: int
    data_length: int
    addressed: int
    entries: int
    contents: int
    clustered: int
    internal_compression: int
    tile_compression: int
    tile_type: int
    min_zoom: int
    max_zoom: int
    west: int
    south: int
    east: int
    north: int
    center_zoom: int
    center_lon: int
    center_lat: int

    @classmethod
    def read(cls, data: bytes) -> Self:
        if len(data) < HEADER_BYTES:
            raise UnreadableArchive("too short for a header")
        header = cls(*_HEADER.unpack(data[:HEADER_BYTES]))
        if header.magic != MAGIC or header.version != VERSION:
            raise UnreadableArchive("not a PMTiles archive of version 3")
        if header.internal_compression not in (Compression.NONE, Compression.GZIP):
            raise UnreadableArchive("unsupported compression of directories")
        if header.tile_compression not in tuple(Compression):
            raise UnreadableArchive("unsupported compression of tiles")
        return header

    def write(self) -> bytes:
        return _HEADER.pack(*self)

    @property
    def end(self) -> int:
        """Return where the last part ends; a shorter file is incomplete."""
        return max(
            self.root_offset + self.root_length,
            self.metadata_offset + self.metadata_length,
            self.leaves_offset + self.leaves_length,
            self.data_offset + self.data_length,
        )

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Return west, south, east and north in degrees."""
        return self.west / _E7, self.south / _E7, self.east / _E7, self.north / _E7


class DirectoryEntry(NamedTuple):
    """`run` consecutive tiles share the content; 0 means the entry is a leaf directory."""

    tile: int
    offset: int
    length: int
    run: int


class Directory:
    """A directory as columns, which save memory because there are many thousand entries."""

    def __init__(self, data: bytes) -> None:
        numbers = _varints(data)
        if not numbers or len(numbers) < 1 + 4 * numbers[0]:
            raise UnreadableArchive("a directory is truncated")
        count = numbers[0]
        tiles, runs, lengths, offsets = (
            numbers[1 + at * count : 1 + (at + 1) * count] for at in range(4)
        )
        self._tiles = list(accumulate(tiles))
        self._runs, self._lengths = runs, lengths
        self._offsets = _offsets(offsets, lengths)

    @property
    def first(self) -> int:
        return self._tiles[0] if self._tiles else 0

    def find(self, tile: int) -> DirectoryEntry | None:
        at = bisect_right(self._tiles, tile) - 1
        if at < 0:
            return None
        run = self._runs[at]
        if run and tile - self._tiles[at] >= run:
            return None
        return DirectoryEntry(self._tiles[at], self._offsets[at], self._lengths[at], run)


def decompress(data: bytes, compression: int) -> bytes:
    """Decompress a directory or the metadata, up to a size limit."""
    if compression == Compression.NONE:
        return data
    unpacking = zlib.decompressobj(wbits=31)
    try:
        result = unpacking.decompress(data, _LARGEST_PART)
    except zlib.error as error:
        raise UnreadableArchive(str(error)) from error
    if not unpacking.eof:
        raise UnreadableArchive("a part is truncated or too large")
    return result


def _offsets(encoded: list[int], lengths: list[int]) -> list[int]:
    """Decode offsets; 0 means directly after the previous content."""
    offsets: list[int] = []
    for at, number in enumerate(encoded):
        if number:
            offsets.append(number - 1)
        elif at:
            offsets.append(offsets[-1] + lengths[at - 1])
        else:
            raise UnreadableArchive("the first entry of a directory has no offset")
    return offsets


def _varints(data: bytes) -> list[int]:
    numbers, number, shift = [], 0, 0
    for byte in data:
        number |= (byte & 127) << shift
        if byte > 127:
            shift += 7
            if shift > 63:
                raise UnreadableArchive("a number has too many bytes")
        else:
            numbers.append(number)
            number = shift = 0
    return numbers
