"""Paths as text that every encoder takes, and back again without loss.

On disk a name is bytes. Python shows those that are no UTF-8 as lone surrogates, which neither
JSON nor a database takes. As text such a byte is written as U+FFFD and two hex digits, and U+FFFD
itself twice; every other name is written as it is.
"""

import os
import re

from quartet.kernel.errors import AppError

MARK = "\ufffd"

_UNWRITABLE = re.compile(f"[\udc80-\udcff{MARK}]")
_ESCAPED = re.compile(f"{MARK}({MARK}|[89A-F][0-9A-F])?")


def path_text(path: str) -> str:
    """A path of the system as text for the database and for JSON."""
    if path.isascii():
        return path
    return _UNWRITABLE.sub(_escape, path)


def path_of(text: str) -> str:
    """The path of the system that `path_text` made this of."""
    if MARK not in text:
        return text
    raw = _ESCAPED.sub(_unescape, text)
    # Bytes that together are UTF-8 after all have one spelling only.
    return os.fsdecode(os.fsencode(raw))


def _escape(found: re.Match[str]) -> str:
    char = found.group()
    return MARK + (MARK if char == MARK else f"{ord(char) - 0xDC00:02X}")


def _unescape(found: re.Match[str]) -> str:
    code = found.group(1)
    if code is None:
        raise AppError(400, "path_invalid", path=found.string)
    return MARK if code == MARK else chr(0xDC00 + int(code, 16))
