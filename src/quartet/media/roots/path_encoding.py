"""Encodes system paths as text without loss.

Names on disk are bytes. Python shows bytes that are not UTF-8 as lone surrogates, which neither
JSON
nor a database accepts. In encoded text such a byte is U+FFFD and two hex digits, and U+FFFD itself
is
doubled; all other names are unchanged.
"""

import os
import re

from quartet.kernel.errors import AppError

MARK = "\ufffd"

_UNWRITABLE = re.compile(f"[\udc80-\udcff{MARK}]")
_ESCAPED = re.compile(f"{MARK}({MARK}|[89A-F][0-9A-F])?")


def encode_path(path: str) -> str:
    """Encode a system path for the database and JSON."""
    if path.isascii():
        return path
    return _UNWRITABLE.sub(_escape, path)


def decode_path(text: str) -> str:
    """Decode what `encode_path` returned."""
    if MARK not in text:
        return text
    raw = _ESCAPED.sub(_unescape, text)
    # Escaped bytes that form valid UTF-8 must have a single spelling.
    return os.fsdecode(os.fsencode(raw))


def _escape(found: re.Match[str]) -> str:
    char = found.group()
    return MARK + (MARK if char == MARK else f"{ord(char) - 0xDC00:02X}")


def _unescape(found: re.Match[str]) -> str:
    code = found.group(1)
    if code is None:
        raise AppError(400, "path_invalid", path=found.string)
    return MARK if code == MARK else chr(0xDC00 + int(code, 16))
