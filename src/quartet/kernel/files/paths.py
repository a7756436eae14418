"""Validates relative paths from users and names from listings."""

import os
import re

from quartet.kernel.errors import AppError
from quartet.kernel.files.beneath import Parts
from quartet.kernel.files.errors import display_path
from quartet.kernel.files.names import MAX_NAME_BYTES

# A string was typed by a user and is parsed strictly; a tuple contains exact names.
RelativePath = str | Parts

_LONGEST_PATH = 4095  # bytes
_NO_NAMES = frozenset({b"", b"."})
_DRIVE = re.compile(r"[A-Za-z]:")


def relative_path(text: str) -> Parts:
    """Split a path typed by a user into components."""
    if text.startswith(("/", "\\")) or _DRIVE.match(text):
        raise AppError(400, "path_outside_root", path=display_path((text,)))
    if "\\" in text:
        raise AppError(400, "path_invalid", path=display_path((text,)))
    parts = tuple(part for part in text.split("/") if part not in ("", "."))
    if not parts:
        raise AppError(400, "path_invalid", path=display_path((text,)))
    return validate_parts(parts)


def validate_parts(parts: Parts) -> Parts:
    """Raise AppError unless each component is one plain name."""
    if ".." in parts:
        raise AppError(400, "path_outside_root", path=display_path(parts))
    if not parts:
        return parts
    try:
        encoded = os.fsencode("/".join(parts))
    except UnicodeEncodeError:
        raise AppError(400, "path_invalid", path=display_path(parts)) from None
    names = encoded.split(b"/")
    if len(names) != len(parts) or b"\0" in encoded or not _NO_NAMES.isdisjoint(names):
        raise AppError(400, "path_invalid", path=display_path(parts))
    if max(map(len, names)) > MAX_NAME_BYTES or len(encoded) >= _LONGEST_PATH:
        raise AppError(400, "name_too_long", path=display_path(parts))
    return parts


def to_parts(path: RelativePath) -> Parts:
    """Convert either form to components; an empty path means the root itself."""
    if not path:
        return ()
    return relative_path(path) if isinstance(path, str) else validate_parts(path)
