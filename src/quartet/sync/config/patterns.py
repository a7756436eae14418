"""Ignore patterns: one per line; those of a folder apply everywhere, those of a share only on its
device.
"""

from collections.abc import Iterable

import msgspec

from quartet.kernel.errors import AppError
from quartet.sync.config.types.folders import Folder
from quartet.sync.config.types.shares import Share
from quartet.sync.protocol.limits import PATTERN_CHARS, PATTERNS, PATTERNS_BYTES


def clean_patterns(lines: Iterable[str]) -> list[str]:
    """Strip the lines, drop empty ones and validate the rest."""
    patterns = [part.strip() for line in lines for part in line.splitlines() if part.strip()]
    if len(patterns) > PATTERNS:
        raise AppError(422, "too_many_patterns", max=PATTERNS)
    for pattern in patterns:
        _check(pattern)
    return patterns


def check_total_size(folders: Iterable[Folder], shares: Iterable[Share]) -> None:
    """Check the total size; otherwise a state with all folders would exceed the message limit."""
    size = sum(_size(each.ignore_patterns) for each in folders)
    of_devices: dict[int, int] = {}
    for share in shares:
        if share.ignore_patterns:
            own = of_devices.get(share.device_id, 0) + _size(share.ignore_patterns)
            of_devices[share.device_id] = own
    if size + max(of_devices.values(), default=0) > PATTERNS_BYTES:
        raise AppError(422, "patterns_too_large", max=PATTERNS_BYTES // 1024)


def _size(patterns: list[str]) -> int:
    return len(msgspec.json.encode(patterns))


def _check(pattern: str) -> None:
    if len(pattern) > PATTERN_CHARS:
        raise AppError(422, "pattern_too_long", pattern=pattern[:40], max=PATTERN_CHARS)
    # An include would make every engine read an arbitrary file.
    if pattern.lower().startswith("#include"):
        raise AppError(422, "pattern_include", pattern=pattern)
    if "\0" in pattern:
        raise AppError(422, "pattern_invalid", pattern=pattern.replace("\0", ""))
    if not _brackets_close(pattern):
        raise AppError(422, "pattern_invalid", pattern=pattern)


def _brackets_close(pattern: str) -> bool:
    """Return True if all brackets are closed; with an invalid pattern the engine would ignore
    nothing.
    """
    for begin, end in ("[]", "{}"):
        depth = 0
        skip = False
        for char in pattern:
            if skip:
                skip = False
            elif char == "\\":
                skip = True
            elif char == begin:
                depth += 1
            elif char == end:
                depth = max(0, depth - 1)
        if depth:
            return False
    return True
