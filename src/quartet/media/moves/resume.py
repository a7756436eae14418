"""Locates a file whose move was interrupted, and finishes the move if possible."""

from contextlib import suppress
from typing import Literal

from quartet.kernel.errors import AppError
from quartet.media.moves.copying import digest_of
from quartet.media.moves.disk import Disk, Identity, identity
from quartet.media.moves.types import Operation
from quartet.media.roots.folder_access import FolderAccess, RootedPath

FileLocation = Literal["start", "end", "lost"]


class Resumer:
    """One interrupted move from `start` to `end`; during an undo these are swapped."""

    def __init__(
        self, disk: Disk, access: FolderAccess, row: Operation, start: str, end: str
    ) -> None:
        self._disk = disk
        self._row = row
        self._start_path, self._end_path = access.resolve(start), access.resolve(end)
        self._parked = access.resolve(row.parked) if row.parked else None
        self._temporary = access.resolve(row.temporary) if row.temporary else None
        self._known = Identity(row.size, row.mtime_ns, row.inode)

    @property
    def _start(self) -> RootedPath:
        return (
            self._parked
            if self._parked and self._disk.stat_if_exists(self._parked)
            else self._start_path
        )

    def is_at(self, location: RootedPath) -> bool:
        """Compare only the inode: the file may have been modified since."""
        seen = self._disk.stat_if_exists(location)
        return seen is not None and identity(seen).inode == self._known.inode

    def copy_is_at_start(self) -> bool:
        """The file there may be the one that the copy had replaced."""
        return self.is_at(self._start_path)

    def move(self, *, may_be_ours: bool) -> FileLocation:
        """`may_be_ours` is False if the file at the end existed before."""
        if self._temporary:
            return self._across(self._temporary, may_be_ours)
        start = self._start
        before, after = self._disk.stat_if_exists(start), self._disk.stat_if_exists(self._end_path)
        if after and self.is_at(self._end_path):
            if before and identity(before) == identity(after) and after.st_nlink > 1:
                # Some file systems implement a rename as a link and an unlink.
                self._disk.remove(start)
            return "end"
        if start is self._parked and after is None:
            self._disk.make_folders(self._end_path.parent)
            with suppress(AppError, OSError):
                self._disk.rename(start, self._end_path)
                return "end"
        return "start" if self.is_at(start) else "lost"

    def copy(self, *, may_be_ours: bool) -> FileLocation:
        """Finish a copy or a link; the source stays."""
        whole = may_be_ours and self._is_whole()
        if self._temporary:
            self._disk.remove(self._temporary)
        return "end" if whole else "start"

    def _across(self, temporary: RootedPath, may_be_ours: bool) -> FileLocation:
        after = self._disk.stat_if_exists(self._end_path)
        whole = may_be_ours and self._is_whole()
        self._disk.remove(temporary)
        if not self.is_at(self._start):
            return "end" if after and after.st_size == self._known.size else "lost"
        if not whole:
            return "start"
        self._disk.remove(self._start)
        return "end"

    def _is_whole(self) -> bool:
        """Return True if the file at the end is a complete copy of the start."""
        before, after = (
            self._disk.stat_if_exists(self._start),
            self._disk.stat_if_exists(self._end_path),
        )
        if before is None or after is None or before.st_size != after.st_size:
            return False
        if before.st_dev == after.st_dev and before.st_ino == after.st_ino:
            return True
        return digest_of(self._disk, self._start) == digest_of(self._disk, self._end_path)
