"""File operations relative to open folders. Blocks; use from a single thread."""

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
from quartet.media.roots.folder_access import RootedPath

_MOST_OPEN = 64
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# Without waiting, in case a pipe has taken the name of the file.
_OLD_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_INODES = 2**63 - 1  # the largest value the database column holds


class Identity(NamedTuple):
    """Identifies a file and its version."""

    size: int
    mtime_ns: int
    inode: int


def identity(seen: os.stat_result) -> Identity:
    size = 0 if stat.S_ISDIR(seen.st_mode) else seen.st_size
    # A folder's time changes with its content, but it is still the same folder.
    mtime_ns = 0 if stat.S_ISDIR(seen.st_mode) else seen.st_mtime_ns
    return Identity(size, mtime_ns, seen.st_ino & _INODES)


class Disk:
    """Keeps folders open between files, because opening them takes most of a rename's time."""

    def __init__(self) -> None:
        self._open: OrderedDict[RootedPath, int] = OrderedDict()
        self._absent: set[RootedPath] = set()

    def forget(self) -> None:
        """Close all folders, because others may have changed the tree."""
        self._absent.clear()
        while self._open:
            os.close(self._open.popitem()[1])

    def folder(self, location: RootedPath) -> int:
        fd = self._open.get(location)
        if fd is not None:
            self._open.move_to_end(location)
            return fd
        if location in self._absent:
            raise AppError(404, "not_found", path=location.name)
        try:
            with app_errors_on_open(location.parts):
                fd = self._open_folder(location)
        except AppError as error:
            if error.code == "not_found":
                self._absent.add(location)
            raise
        self._open[location] = fd
        if len(self._open) > _MOST_OPEN:
            os.close(self._open.popitem(last=False)[1])
        return fd

    def _open_folder(self, location: RootedPath) -> int:
        if not location.parts:
            return os.open(location.root.path, OPEN_FOLDER)
        return open_beneath(self.folder(RootedPath(location.root, ())), location.parts, OPEN_FOLDER)

    def place(self, location: RootedPath) -> EntryRef:
        if not location.parts:
            raise AppError(400, "path_invalid", path=".")
        return EntryRef(self.folder(location.parent), location.name)

    def two_places(self, one: RootedPath, other: RootedPath) -> tuple[EntryRef, EntryRef]:
        self.folder(one.parent)
        return self.place(one), self.place(other)

    def stat(self, location: RootedPath) -> os.stat_result:
        with app_errors(location.parts):
            return stat_entry(self.place(location))

    def stat_if_exists(self, location: RootedPath) -> os.stat_result | None:
        try:
            return stat_entry(self.place(location))
        except FileNotFoundError:
            return None
        except AppError as error:
            if error.code in ("not_found", "not_a_folder"):
                return None
            raise

    def device(self, folder: RootedPath) -> int:
        """Return the device a folder is on, or will be on once created."""
        missing = self.missing(folder)
        return os.fstat(self.folder(missing[0].parent if missing else folder)).st_dev

    def missing(self, folder: RootedPath) -> list[RootedPath]:
        """Return this folder and its parents that do not exist, outermost first."""
        found: list[RootedPath] = []
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

    def make_folders(self, folder: RootedPath) -> list[str]:
        """Return the paths of the created folders, outermost first."""
        made: list[str] = []
        if folder in self._open:
            return made
        # Another process may have created them in the meantime.
        self._absent.clear()
        missing = self.missing(folder)
        self._absent.clear()
        for one in missing:
            place = self.place(one)
            with app_errors(one.parts), suppress(FileExistsError):
                os.mkdir(place.name, dir_fd=place.folder)
                made.append(one.path)
        return made

    def create(self, location: RootedPath, content: bytes) -> None:
        """Write a new file; fail if it exists."""
        place = self.place(location)
        with app_errors(location.parts):
            fd = os.open(place.name, _NEW_FILE, 0o644, dir_fd=place.folder)
            try:
                left = memoryview(content)
                while left:
                    left = left[os.write(fd, left) :]
            finally:
                os.close(fd)

    def beginning(self, location: RootedPath, size: int) -> bytes:
        """Return the first bytes of a file."""
        place = self.place(location)
        with app_errors(location.parts):
            fd = os.open(place.name, _OLD_FILE, dir_fd=place.folder)
            try:
                return os.read(fd, size)
            finally:
                os.close(fd)

    def remove_empty(self, folder: RootedPath) -> bool:
        """Remove the folder if it is empty and return whether it was."""
        try:
            remove_folder(self.place(folder))
        except (OSError, AppError):
            return False
        fd = self._open.pop(folder, None)
        if fd is not None:
            os.close(fd)
        return True

    def names(self, folder: RootedPath) -> list[os.DirEntry[str]]:
        with app_errors(folder.parts), os.scandir(self.folder(folder)) as found:
            return list(found)

    def rename(self, source: RootedPath, target: RootedPath) -> None:
        """Never replaces an existing file."""
        one, other = self.two_places(source, target)
        with app_errors_on_rename(source.parts, target.parts):
            rename_no_replace(one, other)

    def hardlink(self, source: RootedPath, target: RootedPath) -> None:
        one, other = self.two_places(source, target)
        hard_link(one, other)

    def remove(self, location: RootedPath) -> None:
        """Delete the file if it exists."""
        if self.stat_if_exists(location):
            with app_errors(location.parts), suppress(FileNotFoundError):
                remove_file(self.place(location))
