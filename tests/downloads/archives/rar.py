"""A minimal writer of RAR files: stored members, volumes, links and encryption."""

import hashlib
import struct
import zlib
from collections.abc import Sequence
from typing import NamedTuple

from tests.downloads.archives.aes import encrypt

SIGNATURE = b"Rar!\x1a\x07\x01\x00"
OLD_SIGNATURE = b"Rar!\x1a\x07\x00"

SYMLINK, HARDLINK, COPY = 1, 4, 5  # kinds of redirection

_MAIN, _FILE, _ENCRYPTION, _END = 1, 2, 4, 5
_SPLIT_BEFORE, _SPLIT_AFTER = 0x08, 0x10
_ROUNDS = 4  # a power of two; enough for a test
_SALT, _START = bytes(range(16)), bytes(range(16, 32))


class File(NamedTuple):
    name: str
    data: bytes = b""
    redirection: int = 0
    points_to: str = ""
    claimed: int = 0  # a false size


class Piece(NamedTuple):
    """The bytes of one file in one volume."""

    file: File
    data: bytes
    first: bool
    last: bool


def rar5(files: Sequence[File], password: str = "", *, hide_names: bool = False) -> bytes:
    pieces = [Piece(file, _packed(file, password), True, True) for file in files]
    return _volume(pieces, 0, 1, password, hide_names)


def rar5_volumes(
    files: Sequence[File], size: int, password: str = "", *, hide_names: bool = False
) -> list[bytes]:
    """Return volumes with at most `size` bytes of content each."""
    volumes = _cut(files, size, password)
    count = len(volumes)
    return [_volume(pieces, at, count, password, hide_names) for at, pieces in enumerate(volumes)]


def rar4_volumes(files: Sequence[File], size: int, *, new_names: bool = False) -> list[bytes]:
    """Return RAR 4 volumes, which are named `.rar`, `.r00` or `.partN.rar`."""
    volumes = _cut(files, size)
    return [_old_volume(pieces, at, len(volumes), new_names) for at, pieces in enumerate(volumes)]


def _packed(file: File, password: str) -> bytes:
    return encrypt(file.data, _keys(password)[0], _START) if password else file.data


def _cut(files: Sequence[File], size: int, password: str = "") -> list[list[Piece]]:
    volumes: list[list[Piece]] = [[]]
    room = size
    for file in files:
        packed, at = _packed(file, password), 0
        while True:
            if not room:
                volumes.append([])
                room = size
            data = packed[at : at + room]
            last = at + len(data) >= len(packed)
            volumes[-1].append(Piece(file, data, at == 0, last))
            at, room = at + len(data), room - len(data)
            if last:
                break
    return volumes


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _block(kind: int, fields: bytes, flags: int = 0, extra: bytes = b"", data: int = 0) -> bytes:
    body = _number(kind) + _number(flags | (1 if extra else 0) | (2 if data else 0))
    body += _number(len(extra)) if extra else b""
    body += _number(data) if data else b""
    body += fields + extra
    body = _number(len(body)) + body
    return struct.pack("<L", zlib.crc32(body)) + body


def _record(kind: int, fields: bytes) -> bytes:
    body = _number(kind) + fields
    return _number(len(body)) + body


def _keys(password: str) -> tuple[bytes, bytes]:
    """Return the key, and the value that detects a wrong password at once."""
    secret, rounds = password.encode(), 1 << _ROUNDS
    key = hashlib.pbkdf2_hmac("sha256", secret, _SALT, rounds)
    long = hashlib.pbkdf2_hmac("sha256", secret, _SALT, rounds + 32)
    check = bytes(long[at] ^ long[at + 8] ^ long[at + 16] ^ long[at + 24] for at in range(8))
    return key, check + hashlib.sha256(check).digest()[:4]


def _volume(
    pieces: Sequence[Piece], at: int, count: int, password: str, hide_names: bool = False
) -> bytes:
    key, check = _keys(password) if password else (b"", b"")
    out = [SIGNATURE]
    if hide_names:
        out.append(_block(_ENCRYPTION, b"\0\1" + bytes([_ROUNDS]) + _SALT + check))

    def add(header: bytes) -> None:
        out.append(_START + encrypt(header, key, _START) if hide_names else header)

    volume = (1 if count > 1 else 0) | (2 if at else 0)
    add(_block(_MAIN, _number(volume) + (_number(at) if at else b"")))
    for piece in pieces:
        add(_file(piece, check))
        out.append(piece.data)
    add(_block(_END, _number(1 if at + 1 < count else 0)))
    return b"".join(out)


def _file(piece: Piece, check: bytes) -> bytes:
    file = piece.file
    name = file.name.encode()
    content = file.data if piece.last else piece.data
    fields = _number(4) + _number(file.claimed or len(file.data)) + _number(0o100644)
    fields += struct.pack("<L", zlib.crc32(content)) + _number(0) + _number(1)
    fields += _number(len(name)) + name
    extra = b""
    if check:
        extra += _record(1, b"\0\1" + bytes([_ROUNDS]) + _SALT + _START + check)
    if file.redirection:
        target = file.points_to.encode()
        extra += _record(5, _number(file.redirection) + b"\0" + _number(len(target)) + target)
    flags = (0 if piece.first else _SPLIT_BEFORE) | (0 if piece.last else _SPLIT_AFTER)
    return _block(_FILE, fields, flags, extra, len(piece.data))


def _old_block(kind: int, flags: int, fields: bytes) -> bytes:
    body = struct.pack("<BHH", kind, flags, 7 + len(fields)) + fields
    return struct.pack("<H", zlib.crc32(body) & 0xFFFF) + body


def _old_volume(pieces: Sequence[Piece], at: int, count: int, new_names: bool) -> bytes:
    volume = (1 if count > 1 else 0) | (0x10 if new_names else 0) | (0 if at else 0x100)
    out = [OLD_SIGNATURE, _old_block(0x73, volume, bytes(6))]
    for piece in pieces:
        name = piece.file.name.encode()
        content = piece.file.data if piece.last else piece.data
        sizes = len(piece.data), len(piece.file.data)
        fields = struct.pack("<LLBLL", *sizes, 3, zlib.crc32(content), 0)
        fields += struct.pack("<BBHL", 20, 0x30, len(name), 0o100644) + name
        flags = 0x8000 | (0 if piece.first else 1) | (0 if piece.last else 2)
        out += [_old_block(0x74, flags, fields), piece.data]
    out.append(_old_block(0x7B, 0x4000 | (1 if at + 1 < count else 0), b""))
    return b"".join(out)
