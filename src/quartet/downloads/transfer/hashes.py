"""Verifies the checksum of a finished file."""

import hashlib
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from quartet.downloads.transfer.mega_mac import MegaMac
from quartet.kernel.errors import AppError

Cancelled = Callable[[], bool]

_STEP = 1024 * 1024


class _Digest(Protocol):
    def update(self, data: memoryview, /) -> None: ...
    def hexdigest(self) -> str: ...


class _Crc32:
    def __init__(self) -> None:
        self._value = 0

    def update(self, data: memoryview, /) -> None:
        self._value = zlib.crc32(data, self._value)

    def hexdigest(self) -> str:
        return f"{self._value:08x}"


# Each factory gets the expected value, because some values contain the key they are computed with.
_DIGESTS: dict[str, tuple[Callable[[str], _Digest], int]] = {
    "md5": (lambda _: hashlib.md5(usedforsecurity=False), 32),
    "sha1": (lambda _: hashlib.sha1(usedforsecurity=False), 40),
    "sha256": (lambda _: hashlib.sha256(), 64),
    "crc32": (lambda _: _Crc32(), 8),
    "mega": (MegaMac, 64),
}


def check_hash(kind: str, value: str) -> str:
    """Return the value in normalised form; raises for unknown kinds and malformed values."""
    value = value.strip().lower()
    if kind not in _DIGESTS:
        raise AppError(400, "hash_unknown", kind=kind[:20])
    length = _DIGESTS[kind][1]
    if len(value) != length or not re.fullmatch(r"[0-9a-f]+", value):
        raise AppError(400, "hash_malformed", kind=kind, length=length)
    return value


def verify_checksum(
    path: Path, kind: str, value: str, *, cancelled: Cancelled | None = None
) -> None:
    """Raise `hash_wrong` if the file differs. Reads the whole file, so call it from a thread."""
    expected = check_hash(kind, value)
    digest = _DIGESTS[kind][0](expected)
    if _digest_of(path, digest, cancelled) != expected:
        raise AppError(422, "hash_wrong", kind=kind)


def _digest_of(path: Path, digest: _Digest, cancelled: Cancelled | None) -> str:
    buffer = memoryview(bytearray(_STEP))
    with path.open("rb", buffering=0) as file:
        while count := file.readinto(buffer):
            digest.update(buffer[:count])
            if cancelled and cancelled():
                raise AppError(409, "cancelled", path=path.name)
    return digest.hexdigest()
