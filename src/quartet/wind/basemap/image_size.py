"""Reads the width of an image from its header."""

import struct

_PNG = b"\x89PNG\r\n\x1a\n"


def width_of(picture: bytes) -> int | None:
    """Return the width of a PNG or WebP image, else None."""
    if picture.startswith(_PNG) and len(picture) >= 24:
        return int(struct.unpack_from(">I", picture, 16)[0])
    if picture[:4] == b"RIFF" and picture[8:12] == b"WEBP" and len(picture) >= 30:
        return _webp(picture[12:16], picture)
    return None


def _webp(kind: bytes, picture: bytes) -> int | None:
    if kind == b"VP8X":
        return int.from_bytes(picture[24:27], "little") + 1
    if kind == b"VP8L":
        return (int.from_bytes(picture[21:25], "little") & 0x3FFF) + 1
    if kind == b"VP8 ":
        return int.from_bytes(picture[26:28], "little") & 0x3FFF
    return None
