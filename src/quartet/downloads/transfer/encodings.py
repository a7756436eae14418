"""Decodes bodies that a server compressed for the transfer, although it was asked not to."""

import zlib
from collections.abc import Iterator
from typing import Protocol

from quartet.downloads.transfer.headers import ResponseHead
from quartet.downloads.transfer.names import name_hint

# A file with such an ending is compressed itself: the server only describes it.
_ENDINGS = {
    "gzip": (".gz", ".tgz", ".svgz", ".emz", ".wmz", ".gzip", ".vgz"),
    "deflate": (),
    "zstd": (".zst", ".tzst"),
    "br": (".br",),
    "compress": (".z", ".taz"),
    "bzip2": (".bz2", ".tbz", ".tbz2"),
    "xz": (".xz", ".txz"),
}
_COMPRESSED_KINDS = ("application/gzip", "application/x-gzip", "application/zstd")
DECODABLE = ("gzip", "deflate")
# Half a megabyte may be decoded to half a gigabyte, which must not be in memory at once.
LONGEST_PIECE = 1024 * 1024
# Each member of a gzip file copies what follows it, and a hostile one has thousands.
_READ_AT_ONCE = 16 * 1024


class DecodingError(Exception):
    """The body is not valid in its encoding."""


class Decoder(Protocol):
    # Whether the end of the compressed data was reached.
    complete: bool

    def feed(self, data: bytes) -> Iterator[bytes]: ...


def transfer_encoding(head: ResponseHead, url: str) -> str:
    """Return how the body is encoded for the transfer, or an empty string."""
    encoding = (head.get("content-encoding") or "").strip().lower().removeprefix("x-")
    if encoding in ("", "identity", "none") or head.kind in _COMPRESSED_KINDS:
        return ""
    name = name_hint(head.get("content-disposition"), url) or ""
    return "" if name.lower().endswith(_ENDINGS.get(encoding, ())) else encoding


def decoder_for(encoding: str) -> Decoder:
    return _Gzip() if encoding == "gzip" else _Deflate()


class _Gzip:
    """A gzip file may consist of several members, one after the other."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(wbits=31)
        self.complete = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        for start in range(0, len(data), _READ_AT_ONCE):
            yield from self._members(data[start : start + _READ_AT_ONCE])
        self.complete = self._member.eof

    def _members(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._member.eof:
                # Some servers pad the end with zeros.
                if not (data := data.lstrip(b"\0")):
                    break
                self._member = zlib.decompressobj(wbits=31)
            yield from _decompressed(self._member, data)
            data = self._member.unused_data


class _Deflate:
    """With or without the zlib header; servers send both."""

    def __init__(self) -> None:
        self._stream: zlib._Decompress | None = None
        self._first = b""
        self.complete = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self._stream is None:
            self._first += data
            if len(self._first) < 2:
                return
            data, self._stream = self._first, zlib.decompressobj(wbits=_window_bits(self._first))
        if not self._stream.eof:
            yield from _decompressed(self._stream, data)
        self.complete = self._stream.eof


def _window_bits(start: bytes) -> int:
    has_header = start[0] & 0x0F == 8 and int.from_bytes(start[:2], "big") % 31 == 0
    return 15 if has_header else -15


def _decompressed(stream: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
    """Decode in pieces; what the last one left inside of the stream needs no more input."""
    piece = b""
    while data or len(piece) == LONGEST_PIECE:
        try:
            piece = stream.decompress(data, LONGEST_PIECE)
        except zlib.error as error:
            raise DecodingError(str(error)) from error
        yield piece
        data = stream.unconsumed_tail
