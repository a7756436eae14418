"""Names with a timestamp, which the engine gives to conflict copies and old versions.

The engine inserts its mark before the last dot, so the stem may be empty: `.profile` becomes
`.sync-conflict-20261115-004805-ABCDEFG.profile`.
"""

import re
from datetime import UTC, datetime
from typing import NamedTuple

from quartet.kernel.files.names import MAX_NAME_BYTES, truncate
from quartet.kernel.files.natural_order import SortKey, natural_sort_key

STAMP = "%Y%m%d-%H%M%S"

_COPY = re.compile(
    r"(?P<stem>.*)\.sync-conflict-(?P<stamp>[0-9]{8}-[0-9]{6})-(?P<winner>[A-Z2-7]{7})"
    r"(?P<ending>\.[^.]*)?",
    re.DOTALL,
)
_VERSION = re.compile(r"(?P<stem>.*)~(?P<stamp>[0-9]{8}-[0-9]{6})(?P<ending>\.[^.]*)?", re.DOTALL)
_STAMP = re.compile(r"[0-9]{8}-[0-9]{6}")
# Reserved by the engine at the top level of a folder.
OWN_NAMES = frozenset({".stfolder", ".stignore", ".stversions"})
_TEMPORARY = (".syncthing.", "~syncthing~")


class Stamped(NamedTuple):
    """The name without the mark, and the time in the mark."""

    name: str
    at: int
    # For a conflict copy: the device that won, not the one that made the copy.
    winner: str = ""


def path_sort_key(path: str) -> list[SortKey]:
    """Return a key that keeps the files of a folder together, in the natural order."""
    return [natural_sort_key(name) for name in path.split("/")]


def is_temporary(name: str) -> bool:
    """Return True for a file that the engine or an upload has not completed."""
    return name.startswith(_TEMPORARY)


def conflict_copy(name: str) -> Stamped | None:
    """Parse the name of a conflict copy; if it contains several marks, the last one counts."""
    found = None if is_temporary(name) else _COPY.fullmatch(name)
    return _stamped(found, found["winner"]) if found else None


def version(name: str) -> Stamped | None:
    found = _VERSION.fullmatch(name)
    return _stamped(found) if found else None


def _stamped(found: re.Match[str], winner: str = "") -> Stamped | None:
    name = found["stem"] + (found["ending"] or "")
    at = time_of(found["stamp"])
    if at is None or name in ("", ".", "..") or name in OWN_NAMES:
        return None
    return Stamped(name, at, winner)


def version_name(name: str, at: int) -> str | None:
    """Return None if the mark does not fit: truncated names could collide."""
    stem, ending = _cut(name)
    marked = f"{stem}~{stamp(at)}{ending}"
    return marked if len(marked.encode()) <= MAX_NAME_BYTES else None


def named_after(name: str, whose: str) -> str:
    """Return `name.<whose>.<ext>`, truncated to the maximum file name length."""
    stem, ending = _cut(name)
    room = MAX_NAME_BYTES - len(f".{whose}{ending}".encode())
    if stem and room < 1:
        # The part after the last dot is too long to be an extension.
        stem, ending, room = name, "", MAX_NAME_BYTES - len(f".{whose}".encode())
    return f"{truncate(stem, room)}.{whose}{ending}"


def _cut(name: str) -> tuple[str, str]:
    stem, dot, ending = name.rpartition(".")
    return (stem, dot + ending) if dot else (name, "")


def stamp(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime(STAMP)


def time_of(stamp: str) -> int | None:
    if not _STAMP.fullmatch(stamp):
        return None
    # Several times faster than `strptime`; a hub may have millions of versions.
    fields = (stamp[:4], stamp[4:6], stamp[6:8], stamp[9:11], stamp[11:13], stamp[13:])
    year, month, day, hour, minute, second = map(int, fields)
    try:
        return int(datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp())
    except ValueError:
        return None
