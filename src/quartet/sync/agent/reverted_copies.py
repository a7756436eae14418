"""Moves the conflict copies of reverted files to the folder's versions; these functions block.

To revert a file, the engine marks its own version as older than every other one and downloads the
version of the other devices. If this device has changed the file before, the engine mistakes the
returning version for the sign of a lost index and keeps the reverted content as a conflict copy.
All other reverted files go to the folder's versions, so these copies are moved there as well.
"""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePath
from typing import NamedTuple

from quartet.sync.engine.types import CONFLICT_MARK

VERSIONS = ".stversions"
STAMP = "%Y%m%d-%H%M%S"


class FileIdentity(NamedTuple):
    """Identifies an unmodified file after it was renamed."""

    device: int
    inode: int
    size: int
    modified: int


def file_identities(root: Path, names: Iterable[str]) -> dict[str, FileIdentity]:
    """Return the identity of every name that is a regular file."""
    found = {name: _file_identity(root / name) for name in names}
    return {name: identity for name, identity in found.items() if identity is not None}


def _file_identity(path: Path) -> FileIdentity | None:
    try:
        seen = path.lstat()
    except OSError:
        return None
    if not stat.S_ISREG(seen.st_mode):
        return None
    return FileIdentity(seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns)


def archive_copies(
    root: Path, reverted: dict[str, FileIdentity], names: Iterable[str]
) -> list[str]:
    """Move unmodified copies of reverted files to the versions; return the moved names."""
    before = {identity: name for name, identity in reverted.items()}
    moved = []
    for copy, identity in file_identities(root, names).items():
        name = before.get(identity)
        if name is not None and _is_copy(PurePath(copy), PurePath(name)):
            with suppress(OSError):
                _make_version(root, copy, PurePath(name))
                moved.append(copy)
    return moved


def _is_copy(copy: PurePath, of: PurePath) -> bool:
    """Return True if the name is that of a conflict copy: users may also have renamed the file."""
    stem, ending = _split_extension(of.name)
    named = copy.name.startswith(stem + CONFLICT_MARK) and copy.name.endswith(ending)
    return named and copy.parent == of.parent


def _make_version(root: Path, copy: str, of: PurePath) -> None:
    folder = root / VERSIONS / of.parent
    folder.mkdir(parents=True, exist_ok=True)
    stem, ending = _split_extension(of.name)
    at = datetime.now(UTC)
    while os.path.lexists(kept := folder / f"{stem}~{at:{STAMP}}{ending}"):
        # The timestamp names the version, so two versions in one second need different ones.
        at += timedelta(seconds=1)
    (root / copy).rename(kept)


def _split_extension(name: str) -> tuple[str, str]:
    """Split off the extension as the engine does: all of `.profile` is an extension."""
    stem, dot, ending = name.rpartition(".")
    return (stem, dot + ending) if dot else (name, "")
