"""Names in open folders. Blocks, and belongs to one thread."""

import os
import stat
from collections import OrderedDict
from contextlib import suppress
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.kernel.files.beneath import OPEN_FOLDER, open_beneath
from quartet.kernel.files.errors import app_errors, app_errors_on_open, app_errors_on_rename
from quartet.kernel.files.renames import (
    EntryRef,
    hard_link,
    remove_file,
    remove_folder,
    rename_no_replace,
    stat_entry,
)
from quartet.media.roots.places import Spot

_MOST_OPEN = 64
_INODES = 2**63 - 1  # what a column of the database holds


class Identity(NamedTuple):
    """Which file it is, and that nobody wrote to it."""

    size: int
    mtime_ns: int
    inode: int


def identity(seen: os.stat_result) -> Identity:
    size = 0 if stat.S_ISDIR(seen.st_mode) else seen.st_size
    # Putting a file into a folder changes the folder's time, and it is still the same one.
    mtime_ns = 0 if stat.S_ISDIR(seen.st_mode) else seen.st_mtime_ns
    return Identity(size, mtime_ns, seen.st_ino & _INODES)


class Disk:
    """Folders stay open from one file to the next: that is most of the time a rename takes."""

    def __init__(self) -> None:
        self._open: OrderedDict[Spot, int] = OrderedDict()
        self._absent: set[Spot] = set()

    def forget(self) -> None:
        """What comes is opened anew: somebody may have changed the tree."""
        self._absent.clear()
        while self._open:
            os.close(self._open.popitem()[1])

    def folder(self, spot: Spot) -> int:
        fd = self._open.get(spot)
        if fd is not None:
            self._open.move_to_end(spot)
            return fd
        if spot in self._absent:
            raise AppError(404, "not_found", path=spot.name)
        try:
            with app_errors_on_open(spot.parts):
                fd = self._open_folder(spot)
        except AppError as error:
            if error.code == "not_found":
                self._absent.add(spot)
            raise
        self._open[spot] = fd
        if len(self._open) > _MOST_OPEN:
            os.close(self._open.popitem(last=False)[1])
        return fd

    def _open_folder(self, spot: Spot) -> int:
        if not spot.parts:
            return os.open(spot.root.path, OPEN_FOLDER)
        return open_beneath(self.folder(Spot(spot.root, ())), spot.parts, OPEN_FOLDER)

    def place(self, spot: Spot) -> EntryRef:
        if not spot.parts:
            raise AppError(400, "path_invalid", path=".")
        return EntryRef(self.folder(spot.parent), spot.name)

    def two_places(self, one: Spot, other: Spot) -> tuple[EntryRef, EntryRef]:
        self.folder(one.parent)
        return self.place(one), self.place(other)

    def look(self, spot: Spot) -> os.stat_result | None:
        try:
            return stat_entry(self.place(spot))
        except FileNotFoundError:
            return None
        except AppError as error:
            if error.code in ("not_found", "not_a_folder"):
                return None
            raise

    def device(self, folder: Spot) -> int:
        """The disk a folder is on or will be."""
        missing = self.missing(folder)
        return os.fstat(self.folder(missing[0].parent if missing else folder)).st_dev

    def missing(self, folder: Spot) -> list[Spot]:
        """This folder and those around it that do not exist, outermost first."""
        found: list[Spot] = []
        while folder.parts:
            try:
                self.folder(folder)
                break
            except AppError as error:
                if error.code != "not_found":
                    raise
            found.append(folder)
            folder = folder.parent
        return found[::-1]

    def make_folders(self, folder: Spot) -> list[str]:
        """Gives the paths of those it made, outermost first."""
        made: list[str] = []
        if folder in self._open:
            return made
        # Somebody else may have made them since we looked.
        self._absent.clear()
        missing = self.missing(folder)
        self._absent.clear()
        for one in missing:
            place = self.place(one)
            with app_errors(one.parts), suppress(FileExistsError):
                os.mkdir(place.name, dir_fd=place.folder)
                made.append(one.path)
        return made

    def remove_empty(self, folder: Spot) -> bool:
        """Whether it was empty and is gone now."""
        try:
            remove_folder(self.place(folder))
        except (OSError, AppError):
            return False
        fd = self._open.pop(folder, None)
        if fd is not None:
            os.close(fd)
        return True

    def names(self, folder: Spot) -> list[os.DirEntry[str]]:
        with app_errors(folder.parts), os.scandir(self.folder(folder)) as found:
            return list(found)

    def rename(self, source: Spot, target: Spot) -> None:
        """Replaces nothing."""
        one, other = self.two_places(source, target)
        with app_errors_on_rename(source.parts, target.parts):
            rename_no_replace(one, other)

    def hardlink(self, source: Spot, target: Spot) -> None:
        one, other = self.two_places(source, target)
        hard_link(one, other)

    def remove(self, spot: Spot) -> None:
        """Afterwards it is gone, also when it was before."""
        if self.look(spot):
            with app_errors(spot.parts), suppress(FileNotFoundError):
                remove_file(self.place(spot))
