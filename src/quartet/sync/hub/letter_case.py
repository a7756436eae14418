"""Finds out whether a disk tells upper from lower case in names; the functions block.

On such a disk the engine needs no protection against names that differ only in their case. The
protection lists a whole directory for each file that changes, so that the time for many files grows
with the square of their number.
"""

import asyncio
import tempfile
from collections.abc import Iterable
from pathlib import Path

# The engine creates it in each folder.
MARKER = ".stfolder"


class LetterCase:
    """Looks at each folder once, because every change of the configuration asks again."""

    def __init__(self, folders: Path) -> None:
        self._folders = folders
        self._default: bool | None = None
        self._known: dict[str, bool | None] = {}

    async def look_again(self) -> None:
        """Look at the disk, and forget the folders: an administrator may have moved them."""
        self._known = {}
        self._default = await asyncio.to_thread(is_case_sensitive, self._folders)

    async def of(self, names: Iterable[str]) -> dict[str, bool | None]:
        """Return the result by folder; None if it is unknown."""
        names = list(names)
        unknown = [name for name in names if self._known.get(name) is None]
        if unknown:
            self._known |= await asyncio.to_thread(
                case_sensitive_folders, self._folders, unknown, self._default
            )
        return {name: self._known[name] for name in names}


def is_case_sensitive(place: Path) -> bool | None:
    """Return None if no file can be created there."""
    try:
        with tempfile.NamedTemporaryFile(prefix="case-", dir=place) as probe:
            return not _is_same(Path(probe.name))
    except OSError:
        return None


def case_sensitive_folders(
    folders: Path, names: Iterable[str], default: bool | None
) -> dict[str, bool | None]:
    """Return the result by folder; new ones are on the same disk as all others."""
    found = {name: folders / name / MARKER for name in names}
    # An administrator may have put a single folder on another disk.
    return {
        name: not _is_same(marker) if marker.exists() else default for name, marker in found.items()
    }


def _is_same(path: Path) -> bool:
    """Return True if the name in upper case leads to the same file."""
    try:
        return path.samefile(path.with_name(path.name.upper()))
    except OSError:
        return False
