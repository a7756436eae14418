"""Writes a PMTiles archive, with leaf directories if it has many tiles."""

import gzip
import json
from collections.abc import Mapping
from typing import Literal, NamedTuple

from quartet.wind.basemap.hilbert import tile_id
from quartet.wind.basemap.pmtiles import (
    HEADER_BYTES,
    MAGIC,
    VERSION,
    ArchiveHeader,
    Compression,
    DirectoryEntry,
)

# Readers fetch this much first, and it must contain the directory.
_FIRST_BYTES = 16384
_E7 = 10_000_000
# Entries of a leaf directory, at least.
_LEAF_ENTRIES = 2048
_KINDS = {"mvt": 1, "png": 2}


class ArchiveInfo(NamedTuple):
    """`bounds` are west, south, east and north in degrees."""

    bounds: tuple[float, float, float, float]
    min_zoom: int
    max_zoom: int
    metadata: dict[str, object]
    tiles: Literal["mvt", "png"] = "mvt"


def write_archive(tiles: Mapping[tuple[int, int, int], bytes], about: ArchiveInfo) -> bytes:
    """Write tiles given by zoom, x and y."""
    packing = Compression.GZIP if about.tiles == "mvt" else Compression.NONE
    entries, data = _lay_out({tile_id(*at): tile for at, tile in tiles.items()}, packing)
    directory, leaves = directories(entries)
    metadata = _packed(json.dumps(about.metadata).encode())
    west, south, east, north = (round(degrees * _E7) for degrees in about.bounds)
    metadata_offset = HEADER_BYTES + len(directory)
    leaves_offset = metadata_offset + len(metadata)
    data_offset = leaves_offset + len(leaves)
    header = ArchiveHeader(
        *(MAGIC, VERSION),
        *(HEADER_BYTES, len(directory), metadata_offset, len(metadata)),
        *(leaves_offset, len(leaves), data_offset, len(data)),
        *(len(tiles), len(entries), len(set(tiles.values()))),
        *(1, Compression.GZIP, packing, _KINDS[about.tiles]),
        *(about.min_zoom, about.max_zoom, west, south, east, north),
        *(about.min_zoom, (west + east) // 2, (south + north) // 2),
    )
    return b"".join((header.write(), directory, metadata, leaves, data))


def _lay_out(tiles: dict[int, bytes], packing: Compression) -> tuple[list[DirectoryEntry], bytes]:
    """Store equal contents once, and merge adjacent equal tiles into one entry."""
    places: dict[bytes, tuple[int, int]] = {}
    entries: list[DirectoryEntry] = []
    data = bytearray()
    for number in sorted(tiles):
        tile = tiles[number]
        if tile not in places:
            packed = tile if packing == Compression.NONE else _packed(tile)
            places[tile] = len(data), len(packed)
            data += packed
        offset, length = places[tile]
        before = entries[-1] if entries else None
        if before and before.offset == offset and before.tile + before.run == number:
            entries[-1] = before._replace(run=before.run + 1)
        else:
            entries.append(DirectoryEntry(number, offset, length, 1))
    return entries, bytes(data)


def directories(entries: list[DirectoryEntry]) -> tuple[bytes, bytes]:
    """Return the root directory and the leaf directories, if one does not hold all entries."""
    root, leaves = _packed(_directory(entries)), b""
    size = _LEAF_ENTRIES
    while HEADER_BYTES + len(root) > _FIRST_BYTES:
        packed = bytearray()
        pointers = []
        for first in range(0, len(entries), size):
            leaf = _packed(_directory(entries[first : first + size]))
            pointers.append(DirectoryEntry(entries[first].tile, len(packed), len(leaf), 0))
            packed += leaf
        root, leaves = _packed(_directory(pointers)), bytes(packed)
        size *= 2
    return root, leaves


def _directory(entries: list[DirectoryEntry]) -> bytes:
    tiles = [entry.tile for entry in entries]
    numbers = [len(entries), *(now - last for last, now in zip([0, *tiles], tiles, strict=False))]
    numbers += [entry.run for entry in entries]
    numbers += [entry.length for entry in entries]
    end = -1
    for entry in entries:
        numbers.append(0 if entry.offset == end else entry.offset + 1)
        end = entry.offset + entry.length
    return b"".join(map(_varint, numbers))


def _packed(data: bytes) -> bytes:
    # Without a timestamp, so that the file is reproducible.
    return gzip.compress(data, mtime=0)


def _varint(number: int) -> bytes:
    parts = bytearray()
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    parts.append(number)
    return bytes(parts)
