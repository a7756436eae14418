"""Checks folder paths by the rules of the device's operating system."""

import unicodedata
from pathlib import PurePosixPath, PureWindowsPath
from typing import NamedTuple

from quartet.kernel.errors import Problem
from quartet.sync.protocol import System
from quartet.sync.protocol.limits import PATH_CHARS

Path = PurePosixPath | PureWindowsPath
# The normalized parts of a path, for comparison.
Key = tuple[str, ...]


def path_of(text: str, system: System) -> Path:
    return PureWindowsPath(text) if system == "windows" else PurePosixPath(text)


def path_problem(text: str, system: System) -> Problem | None:
    """Return what is wrong with a single path."""
    if not text.strip():
        return Problem("path_missing")
    if len(text) > PATH_CHARS:
        return Problem("path_too_long", {"max": PATH_CHARS})
    path = path_of(text, system)
    if any(unicodedata.category(char) in ("Cc", "Cs") for char in text) or _has_bad_part(path):
        return Problem("path_invalid", {"path": text})
    if text.startswith("~"):
        return None if _is_below_home(path) else Problem("path_tilde", {"path": text})
    if not path.is_absolute():
        return Problem("path_not_absolute", {"path": text})
    return Problem("path_is_root", {"path": text}) if len(path.parts) < 2 else None


def _is_below_home(path: Path) -> bool:
    """Return True for a path such as ~/Photos, which the agent expands; the homes of other users
    and the whole home are not accepted.
    """
    return path.parts[0] == "~" and len(path.parts) > 1


def _has_bad_part(path: Path) -> bool:
    parts = path.parts[1:] if path.is_absolute() or path.parts[:1] == ("~",) else ()
    if any(part in (".", "..") for part in parts):
        return True
    if isinstance(path, PurePosixPath):
        return any(len(part.encode()) > 255 for part in parts)
    # Windows strips trailing dots and spaces, so two names could mean the same folder.
    return path.is_reserved() or any(
        part != part.rstrip(". ") or any(char in '<>:"|?*' for char in part) for part in parts
    )


def key_of(text: str, system: System) -> Key:
    path = path_of(text, system)
    if system == "linux":
        return path.parts
    return tuple(unicodedata.normalize("NFC", part).casefold() for part in path.parts)


class PathOverlap(NamedTuple):
    """The folder that a path overlaps with: the same path, or one inside the other."""

    folder_id: int
    nested: bool


class DevicePaths:
    """The folder paths of one device, none of which may equal or contain another."""

    def __init__(self) -> None:
        self._at: dict[Key, int] = {}
        # All parent paths of the folders.
        self._above: dict[Key, int] = {}

    def add(self, key: Key, folder_id: int) -> PathOverlap | None:
        found = self._overlap_with(key)
        self._at[key] = folder_id
        for length in range(1, len(key)):
            self._above[key[:length]] = folder_id
        return found

    def _overlap_with(self, key: Key) -> PathOverlap | None:
        if key in self._at:
            return PathOverlap(self._at[key], nested=False)
        if key in self._above:
            return PathOverlap(self._above[key], nested=True)
        above = (key[:length] for length in range(1, len(key)))
        other = next((self._at[place] for place in above if place in self._at), None)
        return None if other is None else PathOverlap(other, nested=True)
