"""Where a file is that was on its way when the process died; finishes what can be finished."""

from contextlib import suppress
from typing import Literal

from quartet.kernel.errors import AppError
from quartet.media.moves.copying import digest_of
from quartet.media.moves.disk import Disk, Identity, identity
from quartet.media.moves.types import Operation
from quartet.media.roots.places import Places, Spot

Where = Literal["here", "there", "lost"]


class Resumer:
    """The way of one file from `here` to `there`: forward, or back when it was being undone."""

    def __init__(self, disk: Disk, places: Places, row: Operation, here: str, there: str) -> None:
        self._disk = disk
        self._row = row
        self._here, self._there = places.spot(here), places.spot(there)
        self._parked = places.spot(row.parked) if row.parked else None
        self._temporary = places.spot(row.temporary) if row.temporary else None
        self._known = Identity(row.size, row.mtime_ns, row.inode)

    @property
    def _start(self) -> Spot:
        return self._parked if self._parked and self._disk.look(self._parked) else self._here

    def is_at(self, spot: Spot) -> bool:
        """Somebody may have written to it since, but it is the same file."""
        seen = self._disk.look(spot)
        return seen is not None and identity(seen).inode == self._known.inode

    def copy_is_here(self) -> bool:
        """What lies there now may be the file that the copy had replaced."""
        return self.is_at(self._here)

    def move(self, *, may_be_ours: bool) -> Where:
        """`may_be_ours` is false when what lies at the end was there before."""
        if self._temporary:
            return self._across(self._temporary, may_be_ours)
        start = self._start
        before, after = self._disk.look(start), self._disk.look(self._there)
        if after and self.is_at(self._there):
            if before and identity(before) == identity(after) and after.st_nlink > 1:
                # On some disks a link and an unlink stand for a rename.
                self._disk.remove(start)
            return "there"
        if start is self._parked and after is None:
            self._disk.make_folders(self._there.parent)
            with suppress(AppError, OSError):
                self._disk.rename(start, self._there)
                return "there"
        return "here" if self.is_at(start) else "lost"

    def copy(self, *, may_be_ours: bool) -> Where:
        """A copy or a link: the start stays."""
        whole = may_be_ours and self._is_whole()
        if self._temporary:
            self._disk.remove(self._temporary)
        return "there" if whole else "here"

    def _across(self, temporary: Spot, may_be_ours: bool) -> Where:
        after = self._disk.look(self._there)
        whole = may_be_ours and self._is_whole()
        self._disk.remove(temporary)
        if not self.is_at(self._start):
            return "there" if after and after.st_size == self._known.size else "lost"
        if not whole:
            return "here"
        self._disk.remove(self._start)
        return "there"

    def _is_whole(self) -> bool:
        """A copy gets its name when it is whole; it is ours if it equals the start."""
        before, after = self._disk.look(self._start), self._disk.look(self._there)
        if before is None or after is None or before.st_size != after.st_size:
            return False
        if before.st_dev == after.st_dev and before.st_ino == after.st_ino:
            return True
        return digest_of(self._disk, self._start) == digest_of(self._disk, self._there)
