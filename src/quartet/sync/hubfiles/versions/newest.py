"""The newest versions of a folder, remembered between requests.

There may be millions of versions, and reading all their names takes seconds. A folder on the disk
gets a new time when a version is added or removed, so later requests read only those folders.
"""

import os
import threading
import time
from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from quartet.kernel.files.beneath import Parts
from quartet.sync.hubfiles import walk
from quartet.sync.hubfiles.folder_on_disk import VERSIONS, FolderOnDisk, parse_version_path

KEPT = 2000
# A folder can change twice without a new time, if its clock is too coarse.
SETTLED_NS = 2_000_000_000
_UNSETTLED, _MISSING = -1, 0

# Sorts newest first, then by path.
Key = tuple[int, str]


class PathOnHub(NamedTuple):
    """A folder or a file below the archive, which is first, or below the files of the hub."""

    in_files: bool
    parts: Parts


class Row(NamedTuple):
    key: Key
    place: PathOnHub


# Versions whose names are too long for a mark are in a separate folder of the archive.
_TOPS = (PathOnHub(False, ()), PathOnHub(False, (VERSIONS,)), PathOnHub(True, (VERSIONS,)))


class NewestVersions:
    def __init__(self, folder: FolderOnDisk) -> None:
        self._roots = {False: folder.archive, True: folder.files}
        self._tops = {in_files: str(root.path) for in_files, root in self._roots.items()}
        self._lock = threading.Lock()
        self._forget()

    def root_of(self, row: Row) -> Root:
        return self._roots[row.place.in_files]

    def after(self, key: Key | None, count: int) -> list[Row] | None:
        """Return the versions behind a key, or None if only a search on the disk finds them all."""
        with self._lock:
            self._refresh()
            start = bisect_right(self._rows, key, key=lambda row: row.key) if key else 0
            found = self._rows[start : start + count]
            return found if len(found) == count or self._oldest is None else None

    def _forget(self) -> None:
        # The time of each folder when it was read.
        self._times: dict[PathOnHub, int] = dict.fromkeys(_TOPS, _UNSETTLED)
        self._rows: list[Row] = []
        # Older versions than this one are not remembered; None if all are.
        self._oldest: Key | None = None

    def _refresh(self) -> None:
        if self._oldest is not None and len(self._rows) < KEPT // 2:
            self._forget()
        changed = {place for place, read in self._times.items() if read != self._time(place)}
        if changed:
            kept = [row for row in self._rows if _folder(row.place) not in changed]
            self._rows = self._shortened([*kept, *self._read(changed)])

    def _time(self, place: PathOnHub) -> int:
        try:
            # Links are harmless here: what has another time is opened safely. There may be
            # thousands of folders, and a `Path` for each would take longer than the rest.
            return os.lstat("/".join((self._tops[place.in_files], *place.parts))).st_mtime_ns
        except OSError:
            return _MISSING

    def _read(self, changed: Iterable[PathOnHub]) -> list[Row]:
        """Read these folders and new ones below them."""
        waiting, left = [*changed], walk.MOST_ENTRIES
        found: list[Row] = []
        while waiting and left > 0:
            place = waiting.pop()
            try:
                left -= self._read_folder(place, waiting, found)
            except (AppError, OSError):
                self._times[place] = _MISSING
                if place not in _TOPS:
                    del self._times[place]
            if len(found) > 4 * KEPT:
                found = self._shortened(found)
        return found

    def _read_folder(self, place: PathOnHub, waiting: list[PathOnHub], found: list[Row]) -> int:
        """Add the versions and the new folders in a folder; return the number of entries."""
        above = 1 if place.in_files else 0
        count = 0
        with self._roots[place.in_files].folder(place.parts) as folder:
            changed_at = os.fstat(folder).st_mtime_ns
            settled = time.time_ns() - changed_at > SETTLED_NS
            self._times[place] = changed_at if settled else _UNSETTLED
            with os.scandir(folder) as entries:
                for entry in entries:
                    count += 1
                    if not walk.is_text(entry.name):
                        continue
                    here = PathOnHub(place.in_files, (*place.parts, entry.name))
                    if entry.is_dir(follow_symlinks=False):
                        if here not in self._times:
                            waiting.append(here)
                    elif entry.is_file(follow_symlinks=False):
                        known = parse_version_path(here.parts[above:])
                        if known is not None:
                            found.append(Row((-known.at, "/".join(known.of)), here))
        return count

    def _shortened(self, rows: list[Row]) -> list[Row]:
        """Return the newest rows, one for each key: a version may be in both places."""
        oldest = self._oldest
        if oldest is not None:
            rows = [row for row in rows if row.key <= oldest]
        rows.sort(reverse=True)
        unique = sorted({row.key: row for row in rows}.values())
        if len(unique) > KEPT:
            self._oldest = unique[KEPT - 1].key
        return unique[:KEPT]


def _folder(place: PathOnHub) -> PathOnHub:
    return PathOnHub(place.in_files, place.parts[:-1])
