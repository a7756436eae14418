"""Restricts where the server may create folders on this device.

A stolen server password must not allow writing anywhere on every device.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from quartet.kernel.errors import Problem
from quartet.sync.agent.system import this_system
from quartet.sync.protocol import System

# fmt: off
_SYSTEM_FOLDERS = (
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/proc", "/sbin", "/sys", "/usr",
    "/var/lib", "/var/spool", "/System", "/Library", "/Applications", "/private/etc",
)
# fmt: on
# Hidden folders in the home directory whose names do not start with a dot.
_HIDDEN_FOLDERS: dict[System, str] = {"macos": "Library", "windows": "AppData"}
_WINDOWS_FOLDERS = ("SystemRoot", "ProgramFiles", "ProgramFiles(x86)", "ProgramData")


@dataclass(frozen=True)
class PathPolicy:
    """Folders must be inside `allowed`, must not contain `home` and must stay out of `own`."""

    allowed: Sequence[Path]
    home: Path
    own: Path
    system: System = field(default_factory=this_system)


class PathChecker:
    """Checks the folders of one desired state, one after the other, also against each other.

    A state may have a thousand folders, so symbolic links are resolved only once.
    """

    def __init__(self, policy: PathPolicy) -> None:
        self._roots = [(_comparable(each), each, real(each)) for each in policy.allowed]
        self._homes = [_comparable(policy.home), _comparable(real(policy.home))]
        hidden = _HIDDEN_FOLDERS.get(policy.system)
        self._hidden = real(policy.home / hidden).casefold() if hidden else None
        system = [_comparable(each) for each in system_folders()]
        self._forbidden = [*system, _comparable(real(policy.own))]
        # Label by folder path, and label of a folder below each parent path.
        self._taken: dict[str, str] = {}
        self._beneath: dict[str, str] = {}

    def reserve(self, path: str, label: str) -> Problem | None:
        """Return the reason why a folder cannot use this path; otherwise reserve the path."""
        place = Path(path)
        if not place.is_absolute() or ".." in place.parts or "\0" in path:
            return Problem("path_not_absolute", {"path": path})
        there = real(place)
        compared = _comparable(there)
        problem = self._problem(place, there, path) or self._clash(compared, path)
        if problem is None:
            self._taken[compared] = label
            for each in _above(compared):
                self._beneath.setdefault(each, label)
        return problem

    def may_browse(self, path: Path) -> bool:
        """Return True if the server may list the folders in this one, which may be the home."""
        if not path.is_absolute() or ".." in path.parts or "\0" in str(path):
            return False
        there = real(path)
        # A folder around a forbidden one, such as the home, is listed without it.
        inside = any(_is_around(each, _comparable(there)) for each in self._forbidden)
        return not inside and self._place_problem(path, there, str(path)) is None

    def _problem(self, place: Path, there: str, path: str) -> Problem | None:
        compared = _comparable(place)
        if any(_is_around(compared, home) for home in self._homes):
            return Problem("path_is_home", {"path": path})
        if self._is_forbidden(_comparable(there)):
            return Problem("path_not_allowed", {"path": path})
        return self._place_problem(place, there, path)

    def _place_problem(self, place: Path, there: str, path: str) -> Problem | None:
        compared = _comparable(place)
        found = [(root, at) for name, root, at in self._roots if _is_around(name, compared)]
        if not found:
            return Problem("path_not_allowed", {"path": path})
        root, at = max(found, key=lambda each: len(each[0].parts))
        below = place.parts[len(root.parts) :]
        if there != os.path.join(at, *below):  # noqa: PTH118 - faster than pathlib
            return Problem("path_is_link", {"path": path})
        if any(part.startswith(".") for part in below) or self._is_hidden(there, at):
            # Such folders hold keys, settings and autostart entries.
            return Problem("path_hidden", {"path": path})
        return None

    def _is_hidden(self, there: str, root: str) -> bool:
        """Return True if the operating system hides the path, unless an allowed folder is hidden as
        well.
        """
        return self._hidden is not None and (
            _is_around(self._hidden, there.casefold())
            and not _is_around(self._hidden, root.casefold())
        )

    def _is_forbidden(self, there: str) -> bool:
        return any(_is_around(each, there) or _is_around(there, each) for each in self._forbidden)

    def _clash(self, there: str, path: str) -> Problem | None:
        if there in self._taken:
            return Problem("path_taken", {"path": path, "folder": self._taken[there]})
        above = (self._taken[each] for each in _above(there) if each in self._taken)
        nested = self._beneath.get(there) or next(above, None)
        return Problem("path_nested", {"path": path, "folder": nested}) if nested else None


def expanded(path: str, home: Path) -> str:
    """Expand ~, as in ~/Photos; the server does not know the home."""
    parts = Path(path).parts
    return str(home.joinpath(*parts[1:])) if parts[:1] == ("~",) else path


def system_folders() -> list[Path]:
    windows = [Path(os.environ[name]) for name in _WINDOWS_FOLDERS if os.environ.get(name)]
    return [*windows, *(Path(each) for each in _SYSTEM_FOLDERS)]


def real(path: Path) -> str:
    return os.path.realpath(path)


def _comparable(path: Path | str) -> str:
    """Normalize the case if this operating system ignores it."""
    return os.path.normcase(path)


def _is_around(outer: str, inner: str) -> bool:
    """Return True if `inner` is `outer` or inside it."""
    return inner == outer or inner.startswith(outer.rstrip(os.sep) + os.sep)


def _above(path: str) -> Iterator[str]:
    while (above := os.path.dirname(path)) != path:  # noqa: PTH120 - faster than pathlib
        yield above
        path = above
