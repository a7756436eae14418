"""How large folders are, without reading everything each time."""

import time
from collections import OrderedDict
from typing import NamedTuple

from quartet.downloads.archives import find_sets, is_meant_to_be_unpacked
from quartet.downloads.archives.types import Parts
from quartet.kernel.errors import AppError
from quartet.kernel.files import TEMPORARY_PREFIX, Root

# Folders are remembered up to this number, and so many entries are read for one answer.
MOST_FOLDERS = 20_000
MOST_ENTRIES = 50_000
# Times of files are coarse: what changed just now may change again within the same tick.
SETTLED_NS = 2_000_000_000


class Level(NamedTuple):
    """A folder without those in it."""

    modified: int
    size: int
    archives: int
    folders: tuple[str, ...]


class Count(NamedTuple):
    """`size` is nothing when there was too much to read at once; the next time gets further."""

    size: int | None
    archives: int


class Counter:
    """Remembers each folder until its time changes; finished files come and go, but do not grow.

    Its methods block, and are called from one thread at a time.
    """

    def __init__(self) -> None:
        self._levels: OrderedDict[Parts, Level] = OrderedDict()
        self._left = 0

    def begin(self) -> None:
        """What may be read until the next call."""
        self._left = MOST_ENTRIES

    def count(self, root: Root, folder: Parts) -> Count:
        size, archives = 0, 0
        waiting = [folder]
        while waiting:
            if self._left <= 0:
                return Count(None, archives)
            parts = waiting.pop()
            try:
                level = self._level(root, parts)
            except AppError:
                continue  # gone meanwhile, or not ours to read
            size += level.size
            archives += level.archives
            waiting += [(*parts, name) for name in level.folders]
        return Count(size, archives)

    def _level(self, root: Root, parts: Parts) -> Level:
        modified = root.stat(parts).st_mtime_ns
        known = self._levels.get(parts)
        if known and known.modified == modified:
            self._levels.move_to_end(parts)
            return known
        level = self._read(root, parts, modified)
        if time.time_ns() - modified > SETTLED_NS:
            self._levels[parts] = level
            if len(self._levels) > MOST_FOLDERS:
                self._levels.popitem(last=False)
        return level

    def _read(self, root: Root, parts: Parts, modified: int) -> Level:
        entries = [one for one in root.list(parts) if not one.name.startswith(TEMPORARY_PREFIX)]
        self._left -= len(entries) + 1
        files = [entry for entry in entries if entry.is_file]
        sets = find_sets((entry.name for entry in files), parts)
        return Level(
            modified,
            sum(entry.stat.st_size for entry in files),
            sum(map(is_meant_to_be_unpacked, sets)),
            tuple(entry.name for entry in entries if entry.is_folder),
        )
