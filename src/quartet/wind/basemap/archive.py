"""Reads one PMTiles file; its directories are cached in memory."""

import os
import weakref
from email.utils import formatdate
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from quartet.wind.basemap.hilbert import tile_id
from quartet.wind.basemap.image_size import width_of
from quartet.wind.basemap.pmtiles import (
    HEADER_BYTES,
    ArchiveHeader,
    Compression,
    Directory,
    UnreadableArchive,
    decompress,
)
from quartet.wind.basemap.types import Encoding, Extent, Relief, TileKind

_KINDS: tuple[TileKind, ...] = ("unknown", "mvt", "png", "jpeg", "webp", "avif")
_GZIP = b"\x1f\x8b"
_LEAVES_KEPT = 64
_DEEPEST = 4
_LARGEST_TILE = 16 * 1024 * 1024
_TILE_SIZE = 512


class FileVersion(NamedTuple):
    """Identifies a version of a file."""

    path: Path
    size: int
    modified: int
    number: int

    @classmethod
    def of(cls, path: Path) -> "FileVersion | None":
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
    """The parts of the archive's JSON metadata that are used."""

    attribution: str = ""
    vector_layers: list[_Layer] = []
    # Of a relief; terrarium is the most common encoding.
    encoding: str = "terrarium"


class Archive:
    """An open archive; it stays readable when the file is replaced or deleted."""

    def __init__(self, stamp: FileVersion) -> None:
        self.size = stamp.size
        self.version = f"{stamp.size:x}-{stamp.modified:x}-{stamp.number:x}"
        self.tag = f'"{self.version}"'
        self.modified = formatdate(stamp.modified // 1_000_000_000, usegmt=True)
        self._handle = os.open(stamp.path, os.O_RDONLY | os.O_CLOEXEC)
        weakref.finalize(self, os.close, self._handle)
        self.header = ArchiveHeader.read(self.read(0, HEADER_BYTES))
        if self.header.end > self.size:
            raise UnreadableArchive("the file is shorter than its header says")
        self._root = self._directory(self.header.root_offset, self.header.root_length)
        self._leaf = lru_cache(_LEAVES_KEPT)(self._directory)

    @cached_property
    def extent(self) -> Extent:
        header = self.header
        kind = _KINDS[header.tile_type] if header.tile_type < len(_KINDS) else "unknown"
        metadata = self._metadata()
        layers = [layer.id for layer in metadata.vector_layers]
        zooms = (header.min_zoom, header.max_zoom)
        return Extent(*header.bounds, *zooms, kind, layers, metadata.attribution, self.version)

    @cached_property
    def relief(self) -> Relief | None:
        """Return None if the tiles are not images."""
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
                # Some archives do not declare the compression of their tiles.
                return Tile(data, data.startswith(_GZIP))
            directory = self._leaf(self.header.leaves_offset + entry.offset, entry.length)
        raise UnreadableArchive("too many levels of directories")

    def _tile_size(self) -> int:
        """Return the size of one tile; all have the same size."""
        try:
            first = self._numbered(self._root.first)
        except UnreadableArchive:
            first = None
        return (width_of(first.data) if first else None) or _TILE_SIZE

    def _part(self, offset: int, length: int) -> bytes:
        if length > _LARGEST_TILE or len(data := self.read(offset, length)) != length:
            raise UnreadableArchive("a part is outside of the file")
        return data

    def _directory(self, offset: int, length: int) -> Directory:
        return Directory(decompress(self._part(offset, length), self.header.internal_compression))

    def _metadata(self) -> _Metadata:
        header = self.header
        try:
            part = self._part(header.metadata_offset, header.metadata_length)
            text = decompress(part, header.internal_compression if part else Compression.NONE)
            return msgspec.json.decode(text, type=_Metadata)
        except (UnreadableArchive, msgspec.MsgspecError, UnicodeDecodeError):
            # The metadata only contains names and credits; tiles work without it.
            return _Metadata()
