"""Checks whether the last volume of a set exists, by reading the archive."""

import os
from collections.abc import Iterator
from io import BufferedReader
from typing import NamedTuple

from quartet.downloads.archives.sets import MAX_MISSING_NAMES, part_name
from quartet.downloads.archives.types import ArchiveSet
from quartet.kernel.errors import AppError
from quartet.kernel.files import Root

RAR4, RAR5 = b"Rar!\x1a\x07\x00", b"Rar!\x1a\x07\x01\x00"
SEVEN_ZIP = b"7z\xbc\xaf\x27\x1c"

_ZIP_END = b"PK\x05\x06"
_LONGEST_ZIP_END = 22 + 0xFFFF
_MOST_BLOCKS = 20_000  # beyond this, 7-Zip has to find the end


class _Block(NamedTuple):
    """A block of a RAR file; `more` means that the archive continues in another volume."""

    is_end: bool
    more: bool


def require_all_parts(root: Root, archive: ArchiveSet) -> None:
    missing = archive.missing or _missing_at_end(root, archive)
    if missing:
        raise AppError(422, "parts_missing", archive=archive.first, missing=list(missing))


def are_pieces(root: Root, archive: ArchiveSet) -> bool:
    """Return whether files named .001, .002 and so on are pieces of one file.

    Programs that cut files make all pieces equally long, except for the last one.
    """
    sizes = [root.stat((*archive.folder, name)).st_size for name in archive.parts]
    return len({*sizes[:-1]}) == 1 and 0 < sizes[-1] <= sizes[0]


def is_volume(root: Root, archive: ArchiveSet, name: str) -> bool:
    """Return whether this file is a RAR volume and not the middle of a cut file."""
    with root.open((*archive.folder, name)) as file:
        return file.read(8).startswith((RAR4, RAR5))


def has_new_names(root: Root, archive: ArchiveSet) -> bool:
    """Return whether the volumes are named .partN.rar; RAR 4 supports both schemes."""
    with root.open((*archive.folder, archive.first)) as file:
        head = file.read(12)
    return not head.startswith(RAR4) or bool(int.from_bytes(head[10:12], "little") & 0x10)


def _missing_at_end(root: Root, archive: ArchiveSet) -> tuple[str, ...]:
    if archive.scheme == "spanned_zip":
        return _missing_disks(root, archive)
    if archive.kind == "rar":
        continues = _rar_continues(root, archive)
    elif archive.scheme == "numbered":
        continues = (_7z_continues if archive.kind == "7z" else _zip_continues)(root, archive)
    else:
        continues = False
    return (part_name(archive, archive.last + 1),) if continues else ()


def _missing_disks(root: Root, archive: ArchiveSet) -> tuple[str, ...]:
    """Return the missing .zNN files; the .zip, which is the last disk, contains their number."""
    end = _tail(root, archive, (archive.first,))
    at = end.rfind(_ZIP_END)
    disks = int.from_bytes(end[at + 4 : at + 6], "little") if at >= 0 else 0
    there = len(archive.parts) - 1
    if disks == 0xFFFF or disks <= there:  # 0xFFFF: the number is stored elsewhere
        return ()
    absent = range(there + 1, disks + 1)[:MAX_MISSING_NAMES]
    return tuple(part_name(archive, disk) for disk in absent)


def _7z_continues(root: Root, archive: ArchiveSet) -> bool:
    with root.open((*archive.folder, archive.first)) as file:
        head = file.read(32)
    if not head.startswith(SEVEN_ZIP) or len(head) < 32:
        return False
    after, size = (int.from_bytes(head[at : at + 8], "little") for at in (12, 20))
    there = sum(root.stat((*archive.folder, name)).st_size for name in archive.parts)
    return there < 32 + after + size


def _zip_continues(root: Root, archive: ArchiveSet) -> bool:
    with root.open((*archive.folder, archive.first)) as file:
        is_zip = file.read(2) == b"PK"
    return is_zip and _ZIP_END not in _tail(root, archive, archive.parts)


def _tail(root: Root, archive: ArchiveSet, names: tuple[str, ...]) -> bytes:
    """Return the last bytes, which may begin in the previous volume."""
    tail = b""
    for name in reversed(names):
        with root.open((*archive.folder, name)) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - (_LONGEST_ZIP_END - len(tail))))
            tail = file.read() + tail
        if len(tail) >= _LONGEST_ZIP_END:
            break
    return tail


def _rar_continues(root: Root, archive: ArchiveSet) -> bool:
    with root.open((*archive.folder, archive.parts[-1])) as file:
        signature = file.read(8)
        if signature == RAR5:
            blocks = _rar5_blocks(file)
        elif signature.startswith(RAR4):
            file.seek(len(RAR4))
            blocks = _rar4_blocks(file)
        else:
            return False
        more = False
        for block, _ in zip(blocks, range(_MOST_BLOCKS), strict=False):
            more = block.more
            if block.is_end:
                break
        return more


def _rar4_blocks(file: BufferedReader) -> Iterator[_Block]:
    while len(head := file.read(7)) == 7:
        kind = head[2]
        flags = int.from_bytes(head[3:5], "little")
        size = int.from_bytes(head[5:7], "little")
        if size < 7 or (kind == 0x73 and flags & 0x80):  # 0x80: names are encrypted
            return
        fields = file.read(size - 7)
        content = int.from_bytes(fields[:4], "little") if flags & 0x8000 or kind == 0x74 else 0
        if kind == 0x74 and flags & 0x100:  # over 4 GiB
            content += int.from_bytes(fields[25:29], "little") << 32
        yield _Block(kind == 0x7B, bool(flags & (1 if kind == 0x7B else 2)) and kind != 0x73)
        file.seek(content, os.SEEK_CUR)


def _rar5_blocks(file: BufferedReader) -> Iterator[_Block]:
    while len(file.read(4)) == 4:
        size = _number(file)
        if not size or size > 2 << 20:
            return
        end = file.tell() + size
        kind, flags = _number(file), _number(file)
        if kind == 4:  # the rest is encrypted
            return
        if flags & 1:
            _number(file)
        content = _number(file) if flags & 2 else 0
        is_end = kind == 5
        yield _Block(is_end, bool(_number(file) & 1) if is_end else bool(flags & 0x10))
        file.seek(end + content)


def _number(file: BufferedReader) -> int:
    """Read a variable-length integer: seven bits per byte, lowest first."""
    value = 0
    for shift in range(0, 64, 7):
        byte = file.read(1)
        if not byte:
            break
        value |= (byte[0] & 0x7F) << shift
        if byte[0] < 0x80:
            break
    return value
