"""Finds the EXIF data of a photo: JPEG, HEIC and AVIF, and the RAW formats of cameras."""

import struct
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

# Enough for all that comes before the image data.
_MOST_READ = 1024 * 1024
_MOST_BOXES = 1000
_LONGEST_BLOCK = 256 * 1024
_EXIF = b"Exif\0\0"
_ORDERS = (b"II", b"MM")
_RAF = b"FUJIFILMCCD-RAW"
# The boxes of a CR3 file that have the general tags and those of the exposure.
_CANON = (b"CMT1", b"CMT2")
_FOLDERS = (b"moov", b"trak", b"uuid")
_UUID_BYTES = 16


class Box(NamedTuple):
    """A box of an ISO media file; `start` and `end` enclose its content."""

    kind: bytes
    start: int
    end: int


def exif_blocks(file: BinaryIO) -> Iterator[bytes]:
    """Return the TIFF blocks with tags; raise a `ValueError` or `struct.error` if invalid."""
    data = file.read(_MOST_READ)
    if data[:2] == b"\xff\xd8":
        yield _of_jpeg(data)
    elif data[4:8] == b"ftyp":
        yield from _of_boxes(file, data)
    elif data.startswith(_RAF):
        file.seek(struct.unpack_from(">I", data, 84)[0])
        yield _of_jpeg(file.read(_LONGEST_BLOCK))
    elif data[:2] in _ORDERS:
        yield data
    else:
        raise ValueError("no photo")


def _of_jpeg(data: bytes) -> bytes:
    """Return the block of the APP1 segment."""
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], struct.unpack_from(">H", data, at + 2)[0]
        if marker == 0xE1 and data[at + 4 : at + 10] == _EXIF:
            return data[at + 10 : at + 2 + length]
        at += 2 + max(length, 2)
    raise ValueError("no header")


def _of_boxes(file: BinaryIO, data: bytes) -> Iterator[bytes]:
    for box in _boxes(data, 0, len(data)):
        if box.kind == b"meta":
            # Four bytes of version and flags come first.
            yield from _of_items(file, data, Box(box.kind, box.start + 4, box.end))
        elif box.kind in _FOLDERS:
            yield from _of_canon(data, box)


def _of_canon(data: bytes, folder: Box, depth: int = 0) -> Iterator[bytes]:
    start = folder.start + (_UUID_BYTES if folder.kind == b"uuid" else 0)
    for box in _boxes(data, start, folder.end):
        if box.kind in _CANON:
            yield data[box.start : box.end]
        elif box.kind in _FOLDERS and depth < 3:
            yield from _of_canon(data, box, depth + 1)


def _of_items(file: BinaryIO, data: bytes, meta: Box) -> Iterator[bytes]:
    boxes = {box.kind: box for box in _boxes(data, meta.start, meta.end)}
    if b"iinf" not in boxes or b"iloc" not in boxes:
        return
    wanted = _exif_items(data, boxes[b"iinf"])
    for item, offset, length in _locations(data, boxes[b"iloc"]):
        if item in wanted:
            file.seek(offset)
            block = file.read(min(length, _LONGEST_BLOCK))
            # The block starts with the distance to the TIFF header.
            (distance,) = struct.unpack_from(">I", block, 0)
            yield block[4 + distance :]


def _exif_items(data: bytes, box: Box) -> set[int]:
    version = data[box.start]
    start = box.start + (6 if version == 0 else 8)
    found = set()
    for entry in _boxes(data, start, box.end):
        # Version 3 has item numbers of four bytes.
        wide = data[entry.start] == 3
        (item,) = struct.unpack_from(">I" if wide else ">H", data, entry.start + 4)
        kind = entry.start + (10 if wide else 8)
        if data[kind : kind + 4] == b"Exif":
            found.add(item)
    return found


def _locations(data: bytes, box: Box) -> Iterator[tuple[int, int, int]]:
    """Return item, offset and length of items that are in one piece of this file."""
    version = data[box.start]
    sizes = struct.unpack_from(">H", data, box.start + 4)[0]
    offset_size, length_size, base_size = sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15
    index_size = sizes & 15 if version else 0
    wide = version == 2
    at = box.start + 6
    (count,) = struct.unpack_from(">I" if wide else ">H", data, at)
    at += 4 if wide else 2
    for _ in range(min(count, _MOST_BOXES)):
        (item,) = struct.unpack_from(">I" if wide else ">H", data, at)
        at += (4 if wide else 2) + (2 if version else 0) + 2
        base = _number(data, at, base_size)
        (extents,) = struct.unpack_from(">H", data, at + base_size)
        at += base_size + 2
        offset = _number(data, at + index_size, offset_size)
        length = _number(data, at + index_size + offset_size, length_size)
        at += extents * (index_size + offset_size + length_size)
        if extents == 1:
            yield item, base + offset, length


def _number(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "big")


def _boxes(data: bytes, start: int, end: int) -> Iterator[Box]:
    for _ in range(_MOST_BOXES):
        if start + 8 > min(end, len(data)):
            return
        size, kind = struct.unpack_from(">I4s", data, start)
        header = 8
        if size == 1:
            (size,) = struct.unpack_from(">Q", data, start + 8)
            header = 16
        size = size or end - start
        if size < header:
            raise ValueError("box too small")
        yield Box(kind, start + header, min(start + size, end))
        start += size
