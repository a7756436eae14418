"""Where the server may put folders on this device. A stolen password of the server must not
become a way to write anywhere on every device."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quartet.kernel.errors import Problem

# fmt: off
_SYSTEM_FOLDERS = (
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/proc", "/sbin", "/sys", "/usr",
    "/var/lib", "/var/spool", "/System", "/Library", "/Applications", "/private/etc",
)
# fmt: on
_WINDOWS_FOLDERS = ("SystemRoot", "ProgramFiles", "ProgramFiles(x86)", "ProgramData")


@dataclass(frozen=True)
class Grounds:
    """Folders lie beneath `allowed`, never around `home` or in what is ours."""

    allowed: Sequence[Path]
    home: Path
    own: Path

    def problem(self, path: str, taken: Mapping[Path, str]) -> Problem | None:
        """`taken` are the folders that are there already, with their labels."""
        place = Path(path)
        if not place.is_absolute() or ".." in place.parts or "\0" in path:
            return Problem("path_not_absolute", {"path": path})
        place = Path(os.path.normpath(place))
        if _around(place, real(self.home)) or _around(place, self.home):
            return Problem("path_is_home", {"path": path})
        root = next((each for each in self.allowed if _around(each, place)), None)
        if root is None or self._is_forbidden(place):
            return Problem("path_not_allowed", {"path": path})
        if real(place) != real(root) / place.relative_to(root):
            return Problem("path_is_link", {"path": path})
        if any(part.startswith(".") for part in place.relative_to(root).parts):
            # Keys, settings and what starts at login live there.
            return Problem("path_hidden", {"path": path})
        return _clash(real(place), taken, path)

    def _is_forbidden(self, place: Path) -> bool:
        there = real(place)
        if any(_around(each, there) for each in system_folders()):
            return True
        return any(_around(there, each) for each in system_folders()) or (
            _around(there, real(self.own)) or _around(real(self.own), there)
        )


def system_folders() -> list[Path]:
    windows = [Path(os.environ[name]) for name in _WINDOWS_FOLDERS if os.environ.get(name)]
    return [*windows, *(Path(each) for each in _SYSTEM_FOLDERS)]


def real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _clash(place: Path, taken: Mapping[Path, str], path: str) -> Problem | None:
    for other, label in taken.items():
        if _around(other, place) and _around(place, other):
            return Problem("path_taken", {"path": path, "folder": label})
        if _around(other, place) or _around(place, other):
            return Problem("path_nested", {"path": path, "folder": label})
    return None


def _around(outer: Path, inner: Path) -> bool:
    """Whether `inner` is `outer` or lies in it, as this system compares names."""
    return Path(os.path.normcase(inner)).is_relative_to(os.path.normcase(outer))
