"""Reads the date and camera of a photo from its EXIF data, but not where it was taken."""

import struct
from collections.abc import Iterator
from pathlib import Path

from quartet.media.probe.photo_containers import exif_blocks

_MOST_ENTRIES = 200
_TEXT = 2
_POINTER = 0x8769
_NAMES = {0x010F: "make", 0x0110: "model", 0x0132: "modified", 0x9003: "taken", 0x9291: "subsec"}


def exif(path: Path) -> dict[str, str]:
    """Return the known tags; empty if they are missing or invalid."""
    found: dict[str, str] = {}
    try:
        with path.open("rb") as file:
            for block in exif_blocks(file):
                found |= dict(_tags(block))
    except (struct.error, ValueError):
        return found
    return found


def _tags(block: bytes) -> Iterator[tuple[str, str]]:
    order = {b"II": "<", b"MM": ">"}.get(block[:2])
    if order is None:
        raise ValueError("neither order")
    (first,) = struct.unpack_from(f"{order}I", block, 4)
    offsets = [first]
    # The first directory points to one more with the details.
    for offset in offsets:
        for tag, kind, count, value_at in _entries(block, order, offset):
            if tag == _POINTER and len(offsets) == 1:
                offsets.append(struct.unpack_from(f"{order}I", block, value_at)[0])
            elif tag in _NAMES and kind == _TEXT:
                yield _NAMES[tag], _text(block, order, count, value_at)


def _entries(block: bytes, order: str, offset: int) -> Iterator[tuple[int, int, int, int]]:
    (count,) = struct.unpack_from(f"{order}H", block, offset)
    for number in range(min(count, _MOST_ENTRIES)):
        at = offset + 2 + number * 12
        tag, kind, length = struct.unpack_from(f"{order}HHI", block, at)
        yield tag, kind, length, at + 8


def _text(block: bytes, order: str, count: int, at: int) -> str:
    start = at if count <= 4 else struct.unpack_from(f"{order}I", block, at)[0]
    return block[start : start + min(count, 200)].split(b"\0")[0].decode("ascii", "replace").strip()
