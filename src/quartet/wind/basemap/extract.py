"""Extracts the tiles of an area from a large PMTiles archive on a server, by byte ranges."""

import gzip
import json
from collections.abc import Awaitable, Callable, Iterator
from math import asinh, pi, radians, tan
from pathlib import Path
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.wind.basemap.archive_writer import directories
from quartet.wind.basemap.hilbert import tile_id
from quartet.wind.basemap.pmtiles import (
    HEADER_BYTES,
    ArchiveHeader,
    Compression,
    Directory,
    DirectoryEntry,
    UnreadableArchive,
    decompress,
)

# Reads bytes from an offset on.
ReadRange = Callable[[int, int], Awaitable[bytes]]

# The header and the root directory are in the first bytes.
_FIRST_BYTES = 16384
_E7 = 10_000_000
_LAST_LATITUDE = 85.0511
# Unwanted bytes between two parts that are fetched together: a request costs more.
_LARGEST_GAP = 64 * 1024
_LARGEST_PART = 8 * 1024 * 1024
MOST_TILES = 400_000
_DEEPEST = 4


class Box(NamedTuple):
    """West, south, east and north in degrees."""

    west: float
    south: float
    east: float
    north: float


class Extracted(NamedTuple):
    tiles: int
    size: int
    fetched: int


class _DataRange(NamedTuple):
    """Contents that are fetched with one request, by their offset in the archive's data."""

    start: int
    end: int
    contents: list[tuple[int, int]]


async def extract(read: ReadRange, box: Box, max_zoom: int, target: Path) -> Extracted:
    """Write the tiles of an area to `target`, which is replaced when all of them are there."""
    source = _RemoteArchive(read)
    header = await source.open()
    zooms = range(header.min_zoom, min(max_zoom, header.max_zoom) + 1)
    wanted = sorted({number for z in zooms for number in _tiles_in(box, z)})
    entries = await source.find(wanted)
    if not entries:
        raise AppError(404, "basemap_empty")
    data = target.with_suffix(".data")
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        places = await source.copy(entries, data)
        size = _write(
            target, data, header, _relocated(entries, places), box, zooms, await source.about()
        )
    finally:
        data.unlink(missing_ok=True)
    return Extracted(len(entries), size, source.fetched)


class _RemoteArchive:
    def __init__(self, read: ReadRange) -> None:
        self._read_range = read
        self._leaves: dict[tuple[int, int], Directory] = {}
        self.fetched = 0

    async def open(self) -> ArchiveHeader:
        first = await self._read(0, _FIRST_BYTES)
        self.header = ArchiveHeader.read(first[:HEADER_BYTES])
        start, length = self.header.root_offset, self.header.root_length
        if start + length > len(first):
            first, start = await self._read(start, length), 0
        root = decompress(first[start : start + length], self.header.internal_compression)
        self._root = Directory(root)
        return self.header

    async def about(self) -> dict[str, object]:
        header = self.header
        if not header.metadata_length:
            return {}
        packed = await self._read(header.metadata_offset, header.metadata_length)
        found: dict[str, object] = json.loads(decompress(packed, header.internal_compression))
        return found

    async def find(self, wanted: list[int]) -> list[DirectoryEntry]:
        """Return an entry for each of the tiles that exist, in their order."""
        found = []
        for number in wanted:
            entry = await self._find(number)
            if entry is not None:
                found.append(DirectoryEntry(number, entry.offset, entry.length, 1))
        return found

    async def _find(self, number: int) -> DirectoryEntry | None:
        directory = self._root
        for _ in range(_DEEPEST):
            entry = directory.find(number)
            if entry is None or entry.run:
                return entry
            directory = await self._leaf(entry)
        raise UnreadableArchive("too many levels of directories")

    async def _leaf(self, entry: DirectoryEntry) -> Directory:
        key = entry.offset, entry.length
        if key not in self._leaves:
            packed = await self._read(self.header.leaves_offset + entry.offset, entry.length)
            self._leaves[key] = Directory(decompress(packed, self.header.internal_compression))
        return self._leaves[key]

    async def copy(self, entries: list[DirectoryEntry], target: Path) -> dict[int, int]:
        """Copy the contents to a file; return the new place of each by its old one."""
        places: dict[int, int] = {}
        with target.open("wb") as file:
            for part in _parts({(each.offset, each.length) for each in entries}):
                data = await self._read(self.header.data_offset + part.start, part.end - part.start)
                for offset, length in part.contents:
                    places[offset] = file.tell()
                    file.write(data[offset - part.start : offset - part.start + length])
        return places

    async def _read(self, offset: int, length: int) -> bytes:
        data = await self._read_range(offset, length)
        self.fetched += len(data)
        return data


def _tiles_in(box: Box, z: int) -> Iterator[int]:
    left, top = _tile_at(box.west, box.north, z)
    right, bottom = _tile_at(box.east, box.south, z)
    if (right - left + 1) * (bottom - top + 1) > MOST_TILES:
        raise AppError(400, "area_too_large")
    for x in range(left, right + 1):
        for y in range(top, bottom + 1):
            yield tile_id(z, x, y)


def _tile_at(lon: float, lat: float, z: int) -> tuple[int, int]:
    lat = radians(min(max(lat, -_LAST_LATITUDE), _LAST_LATITUDE))
    x, y = lon / 360 + 0.5, 0.5 - asinh(tan(lat)) / (2 * pi)
    last = (1 << z) - 1
    return min(max(int(x * (1 << z)), 0), last), min(max(int(y * (1 << z)), 0), last)


def _parts(contents: set[tuple[int, int]]) -> Iterator[_DataRange]:
    """Join contents that are close to each other."""
    part: _DataRange | None = None
    for offset, length in sorted(contents):
        end = offset + length
        if part and offset - part.end <= _LARGEST_GAP and end - part.start <= _LARGEST_PART:
            part = _DataRange(part.start, max(end, part.end), [*part.contents, (offset, length)])
            continue
        if part:
            yield part
        part = _DataRange(offset, end, [(offset, length)])
    if part:
        yield part


def _relocated(entries: list[DirectoryEntry], places: dict[int, int]) -> list[DirectoryEntry]:
    """Return entries for the new file; adjacent tiles with the same content share one."""
    found: list[DirectoryEntry] = []
    for entry in entries:
        moved = entry._replace(offset=places[entry.offset])
        last = found[-1] if found else None
        if last and last.offset == moved.offset and last.tile + last.run == moved.tile:
            found[-1] = last._replace(run=last.run + 1)
        else:
            found.append(moved)
    return found


def _write(
    target: Path,
    data: Path,
    source: ArchiveHeader,
    entries: list[DirectoryEntry],
    box: Box,
    zooms: range,
    about: dict[str, object],
) -> int:
    """Write the archive and return its size."""
    root, leaves = directories(entries)
    metadata = gzip.compress(json.dumps(about).encode(), mtime=0)
    metadata_offset = HEADER_BYTES + len(root)
    leaves_offset = metadata_offset + len(metadata)
    data_offset = leaves_offset + len(leaves)
    west, south, east, north = (round(degrees * _E7) for degrees in box)
    header = source._replace(
        root_offset=HEADER_BYTES,
        root_length=len(root),
        metadata_offset=metadata_offset,
        metadata_length=len(metadata),
        leaves_offset=leaves_offset,
        leaves_length=len(leaves),
        data_offset=data_offset,
        data_length=data.stat().st_size,
        addressed=sum(entry.run for entry in entries),
        entries=len(entries),
        contents=len({entry.offset for entry in entries}),
        internal_compression=Compression.GZIP,
        min_zoom=zooms[0],
        max_zoom=zooms[-1],
        west=west,
        south=south,
        east=east,
        north=north,
        center_zoom=zooms[0],
        center_lon=(west + east) // 2,
        center_lat=(south + north) // 2,
    )
    partial = target.with_suffix(".partial")
    try:
        with partial.open("wb") as file, data.open("rb") as contents:
            file.write(b"".join((header.write(), root, metadata, leaves)))
            while chunk := contents.read(1 << 20):
                file.write(chunk)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return data_offset + header.data_length
