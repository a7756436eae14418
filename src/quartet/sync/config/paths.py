"""Where a folder may lie on a device; the rules of its own system, not of this one."""

import unicodedata
from pathlib import PurePosixPath, PureWindowsPath
from typing import NamedTuple

from quartet.kernel.errors import Problem
from quartet.sync.protocol import System
from quartet.sync.protocol.limits import PATH_CHARS

Path = PurePosixPath | PureWindowsPath
# How two paths are compared: the parts, folded as the system folds them.
Key = tuple[str, ...]


def path_of(text: str, system: System) -> Path:
    return PureWindowsPath(text) if system == "windows" else PurePosixPath(text)


def problem_with(text: str, system: System) -> Problem | None:
    """What is wrong with a path by itself."""
    if not text.strip():
        return Problem("path_missing")
    if len(text) > PATH_CHARS:
        return Problem("path_too_long", {"max": PATH_CHARS})
    path = path_of(text, system)
    if any(unicodedata.category(char) in ("Cc", "Cs") for char in text) or _has_bad_part(path):
        return Problem("path_invalid", {"path": text})
    # The agent would have to guess whose home is meant.
    if text.startswith("~"):
        return Problem("path_tilde", {"path": text})
    if not path.is_absolute():
        return Problem("path_not_absolute", {"path": text})
    return Problem("path_is_root", {"path": text}) if len(path.parts) < 2 else None


def _has_bad_part(path: Path) -> bool:
    parts = path.parts[1:] if path.is_absolute() else ()
    if any(part in (".", "..") for part in parts):
        return True
    if isinstance(path, PurePosixPath):
        return any(len(part.encode()) > 255 for part in parts)
    # Windows drops dots and blanks at the end, so that two names would be one place.
    return path.is_reserved() or any(
        part != part.rstrip(". ") or any(char in '<>:"|?*' for char in part) for part in parts
    )


def key_of(text: str, system: System) -> Key:
    path = path_of(text, system)
    if system == "linux":
        return path.parts
    return tuple(unicodedata.normalize("NFC", part).casefold() for part in path.parts)


class Clash(NamedTuple):
    """With which folder; at the same place, or one inside the other."""

    folder_id: int
    nested: bool


class Places:
    """The folders of one device: no two at the same place, none inside another."""

    def __init__(self) -> None:
        self._at: dict[Key, int] = {}
        # Every place above a folder.
        self._above: dict[Key, int] = {}

    def take(self, key: Key, folder_id: int) -> Clash | None:
        found = self._clash(key)
        self._at[key] = folder_id
        for length in range(1, len(key)):
            self._above[key[:length]] = folder_id
        return found

    def _clash(self, key: Key) -> Clash | None:
        if key in self._at:
            return Clash(self._at[key], nested=False)
        if key in self._above:
            return Clash(self._above[key], nested=True)
        above = (key[:length] for length in range(1, len(key)))
        other = next((self._at[place] for place in above if place in self._at), None)
        return None if other is None else Clash(other, nested=True)
