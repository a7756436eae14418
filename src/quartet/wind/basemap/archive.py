"""One PMTiles file on the disk, with its directories kept in memory."""

import os
import weakref
from email.utils import formatdate
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from quartet.wind.basemap.hilbert import tile_id
from quartet.wind.basemap.pictures import width_of
from quartet.wind.basemap.pmtiles import (
    HEADER_BYTES,
    Compression,
    Directory,
    Header,
    NotReadable,
    unpacked,
)
from quartet.wind.basemap.types import Encoding, Extent, Relief, TileKind

_KINDS: tuple[TileKind, ...] = ("unknown", "mvt", "png", "jpeg", "webp", "avif")
_GZIP = b"\x1f\x8b"
_LEAVES_KEPT = 64
_DEEPEST = 4
_LARGEST_TILE = 16 * 1024 * 1024
_TILE_SIZE = 512


class Stamp(NamedTuple):
    """What is different when a file has been replaced."""

    path: Path
    size: int
    modified: int
    number: int

    @classmethod
    def of(cls, path: Path) -> "Stamp | None":
        try:
            found = path.stat()
        except OSError:
            return None
        return cls(path, found.st_size, found.st_mtime_ns, found.st_ino)


class Tile(NamedTuple):
    data: bytes
    gzipped: bool


class _Layer(msgspec.Struct):
    id: str


class _Metadata(msgspec.Struct):
    """What we read of the JSON in an archive."""

    attribution: str = ""
    vector_layers: list[_Layer] = []
    # Of a relief. Whoever does not say it writes as most do.
    encoding: str = "terrarium"


class Archive:
    """Stays readable for whoever holds it, also when the file is replaced or deleted."""

    def __init__(self, stamp: Stamp) -> None:
        self.size = stamp.size
        self.version = f"{stamp.size:x}-{stamp.modified:x}-{stamp.number:x}"
        self.tag = f'"{self.version}"'
        self.modified = formatdate(stamp.modified // 1_000_000_000, usegmt=True)
        self._handle = os.open(stamp.path, os.O_RDONLY | os.O_CLOEXEC)
        weakref.finalize(self, os.close, self._handle)
        self.header = Header.read(self.read(0, HEADER_BYTES))
        if self.header.end > self.size:
            raise NotReadable("the file is shorter than its header says")
        self._root = self._directory(self.header.root_offset, self.header.root_length)
        self._leaf = lru_cache(_LEAVES_KEPT)(self._directory)

    @cached_property
    def extent(self) -> Extent:
        header = self.header
        kind = _KINDS[header.tile_type] if header.tile_type < len(_KINDS) else "unknown"
        told = self._metadata()
        layers = [layer.id for layer in told.vector_layers]
        zooms = (header.min_zoom, header.max_zoom)
        return Extent(*header.bounds, *zooms, kind, layers, told.attribution, self.version)

    @cached_property
    def relief(self) -> Relief | None:
        """Nothing when its tiles are no pictures."""
        if self.extent.tiles in ("mvt", "unknown"):
            return None
        encoding: Encoding = "mapbox" if self._metadata().encoding == "mapbox" else "terrarium"
        return Relief(
            **msgspec.structs.asdict(self.extent), encoding=encoding, tile_size=self._tile_size()
        )

    def read(self, offset: int, length: int) -> bytes:
        return os.pread(self._handle, length, offset)

    def tile(self, z: int, x: int, y: int) -> Tile | None:
        if not self.header.min_zoom <= z <= self.header.max_zoom:
            return None
        return self._numbered(tile_id(z, x, y))

    def _numbered(self, number: int) -> Tile | None:
        directory = self._root
        for _ in range(_DEEPEST):
            entry = directory.find(number)
            if entry is None:
                return None
            if entry.run:
                data = self._part(self.header.data_offset + entry.offset, entry.length)
                # Some archives do not say how their tiles are compressed.
                return Tile(data, data.startswith(_GZIP))
            directory = self._leaf(self.header.leaves_offset + entry.offset, entry.length)
        raise NotReadable("its directories go too deep")

    def _tile_size(self) -> int:
        """Of any tile, for all are of one size."""
        try:
            first = self._numbered(self._root.first)
        except NotReadable:
            first = None
        return (width_of(first.data) if first else None) or _TILE_SIZE

    def _part(self, offset: int, length: int) -> bytes:
        if length > _LARGEST_TILE or len(data := self.read(offset, length)) != length:
            raise NotReadable("a part lies outside of the file")
        return data

    def _directory(self, offset: int, length: int) -> Directory:
        return Directory(unpacked(self._part(offset, length), self.header.internal_compression))

    def _metadata(self) -> _Metadata:
        header = self.header
        try:
            part = self._part(header.metadata_offset, header.metadata_length)
            text = unpacked(part, header.internal_compression if part else Compression.NONE)
            return msgspec.json.decode(text, type=_Metadata)
        except (NotReadable, msgspec.MsgspecError, UnicodeDecodeError):
            # It is good for a name and a credit only: tiles can be shown without it.
            return _Metadata()
