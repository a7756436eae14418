"""Relative paths from users and names from listings, checked before any of them touches a disk."""

import os
import re

from quartet.kernel.errors import AppError
from quartet.kernel.files.beneath import Parts
from quartet.kernel.files.errors import display_path
from quartet.kernel.files.names import MAX_NAME_BYTES

# Text is what a person typed and is parsed strictly; a tuple holds exact names from a listing.
RelativePath = str | Parts

_LONGEST_PATH = 4095  # bytes
_DRIVE = re.compile(r"[A-Za-z]:")


def relative_path(text: str) -> Parts:
    """The components of a path a user typed."""
    if text.startswith(("/", "\\")) or _DRIVE.match(text):
        raise AppError(400, "path_outside_root", path=display_path((text,)))
    if "\\" in text:
        raise AppError(400, "path_invalid", path=display_path((text,)))
    parts = tuple(part for part in text.split("/") if part not in ("", "."))
    if not parts:
        raise AppError(400, "path_invalid", path=display_path((text,)))
    return validate_parts(parts)


def validate_parts(parts: Parts) -> Parts:
    """Refuses components that are not one plain name each."""
    if ".." in parts:
        raise AppError(400, "path_outside_root", path=display_path(parts))
    try:
        encoded = [os.fsencode(part) for part in parts]
    except UnicodeEncodeError:
        raise AppError(400, "path_invalid", path=display_path(parts)) from None
    for name in encoded:
        if name in (b"", b".") or b"/" in name or b"\0" in name:
            raise AppError(400, "path_invalid", path=display_path(parts))
    if any(len(name) > MAX_NAME_BYTES for name in encoded) or _total(encoded) > _LONGEST_PATH:
        raise AppError(400, "name_too_long", path=display_path(parts))
    return parts


def to_parts(path: RelativePath) -> Parts:
    """Takes both forms; nothing at all means the root itself."""
    if not path:
        return ()
    return relative_path(path) if isinstance(path, str) else validate_parts(path)


def _total(encoded: list[bytes]) -> int:
    return sum(len(name) + 1 for name in encoded)
