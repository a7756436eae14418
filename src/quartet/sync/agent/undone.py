"""Undone changes that the engine keeps as conflict copies become versions; these functions block.

To revert, the engine makes its own file older than every other and fetches what the others have.
If this device has ever changed that file itself, the engine takes the version of its own that comes
back for the sign of a lost index, and keeps what a person wanted to be undone as a conflict copy.
All else that it undoes it moves to the versions of the folder, and so this is moved there as well.
"""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePath
from typing import NamedTuple

VERSIONS = ".stversions"
MARK = ".sync-conflict-"
STAMP = "%Y%m%d-%H%M%S"


class Looks(NamedTuple):
    """By which a file is known under another name, as long as nobody has touched it."""

    device: int
    inode: int
    size: int
    modified: int


def looks_of(root: Path, names: Iterable[str]) -> dict[str, Looks]:
    """Of those that are files."""
    found = {name: _looks(root / name) for name in names}
    return {name: looks for name, looks in found.items() if looks is not None}


def _looks(path: Path) -> Looks | None:
    try:
        seen = path.lstat()
    except OSError:
        return None
    if not stat.S_ISREG(seen.st_mode):
        return None
    return Looks(seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns)


def put_away(root: Path, undone: dict[str, Looks], names: Iterable[str]) -> list[str]:
    """Those of the names that are copies of what was undone, and nothing newer."""
    before = {looks: name for name, looks in undone.items()}
    moved = []
    for copy, looks in looks_of(root, names).items():
        name = before.get(looks)
        if name is not None and _is_copy(PurePath(copy), PurePath(name)):
            with suppress(OSError):
                _make_version(root, copy, PurePath(name))
                moved.append(copy)
    return moved


def _is_copy(copy: PurePath, of: PurePath) -> bool:
    """By its name: a person may have saved the file under another one."""
    stem, ending = _cut(of.name)
    named = copy.name.startswith(stem + MARK) and copy.name.endswith(ending)
    return named and copy.parent == of.parent


def _make_version(root: Path, copy: str, of: PurePath) -> None:
    folder = root / VERSIONS / of.parent
    folder.mkdir(parents=True, exist_ok=True)
    stem, ending = _cut(of.name)
    at = datetime.now(UTC)
    while os.path.lexists(kept := folder / f"{stem}~{at:{STAMP}}{ending}"):
        # The time is the name of a version: two of one second need two.
        at += timedelta(seconds=1)
    (root / copy).rename(kept)


def _cut(name: str) -> tuple[str, str]:
    """As the engine does it: all of `.profile` is an ending."""
    stem, dot, ending = name.rpartition(".")
    return (stem, dot + ending) if dot else (name, "")
