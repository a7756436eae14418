"""Computes the sizes of folders, with a cache."""

import time
from collections import OrderedDict
from typing import NamedTuple

from quartet.downloads.archives import find_sets, is_extractable
from quartet.downloads.archives.types import Parts
from quartet.kernel.errors import AppError
from quartet.kernel.files import TEMPORARY_PREFIX, Root

# The number of cached folders, and of entries read per request.
MOST_FOLDERS = 20_000
MOST_ENTRIES = 50_000
# File times are coarse: a folder changed just now may change again without a new time.
SETTLED_NS = 2_000_000_000


class FolderLevel(NamedTuple):
    """A folder without its subfolders."""

    modified: int
    size: int
    archives: int
    folders: tuple[str, ...]


class FolderSize(NamedTuple):
    """`size` is None if there were too many entries to read; the next request gets further."""

    size: int | None
    archives: int


class FolderSizes:
    """Caches each folder until its modification time changes; finished files do not grow.

    Its methods block, and must be called from one thread at a time.
    """

    def __init__(self) -> None:
        self._levels: OrderedDict[Parts, FolderLevel] = OrderedDict()
        self._left = 0

    def begin(self) -> None:
        """Reset the number of entries that may be read for this request."""
        self._left = MOST_ENTRIES

    def count(self, root: Root, folder: Parts) -> FolderSize:
        size, archives = 0, 0
        waiting = [folder]
        while waiting:
            if self._left <= 0:
                return FolderSize(None, archives)
            parts = waiting.pop()
            try:
                level = self._level(root, parts)
            except AppError:
                continue  # removed in the meantime, or not readable
            size += level.size
            archives += level.archives
            waiting += [(*parts, name) for name in level.folders]
        return FolderSize(size, archives)

    def _level(self, root: Root, parts: Parts) -> FolderLevel:
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

    def _read(self, root: Root, parts: Parts, modified: int) -> FolderLevel:
        entries = [one for one in root.list(parts) if not one.name.startswith(TEMPORARY_PREFIX)]
        self._left -= len(entries) + 1
        files = [entry for entry in entries if entry.is_file]
        sets = find_sets((entry.name for entry in files), parts)
        return FolderLevel(
            modified,
            sum(entry.stat.st_size for entry in files),
            sum(map(is_extractable, sets)),
            tuple(entry.name for entry in entries if entry.is_folder),
        )
