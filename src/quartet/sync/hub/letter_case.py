"""Finds out whether a disk tells upper from lower case in names; the functions block.

On such a disk the engine needs no protection against names that differ only in their case. The
protection lists a whole directory for each file that changes, so that the time for many files grows
with the square of their number.
"""

import tempfile
from collections.abc import Iterable
from pathlib import Path

# The engine creates it in each folder.
MARKER = ".stfolder"


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
