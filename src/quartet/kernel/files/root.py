"""A root folder that no relative path can leave."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedRandom, BufferedReader, BufferedWriter
from pathlib import Path
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.kernel.files import renames, space, trees
from quartet.kernel.files.beneath import OPEN_FOLDER, Parts, closing_fd, open_beneath
from quartet.kernel.files.errors import (
    app_errors,
    app_errors_on_open,
    app_errors_on_rename,
    display_path,
)
from quartet.kernel.files.natural_order import natural_sort_key
from quartet.kernel.files.paths import RelativePath, to_parts
from quartet.kernel.files.renames import EntryRef


class Entry(NamedTuple):
    """A name in a folder with its lstat result."""

    name: str
    stat: os.stat_result

    @property
    def is_file(self) -> bool:
        return stat.S_ISREG(self.stat.st_mode)

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.stat.st_mode)

    @property
    def is_link(self) -> bool:
        return stat.S_ISLNK(self.stat.st_mode)


class Root:
    """File operations relative to a root folder. All methods block: call them from a thread.

    Only the path of the root is trusted. Everything below is opened relative to open folders, so a
    folder that is replaced by a link cannot be used to leave the root.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        # Asked for several times for every file.
        self.text = str(self.path)

    def open(self, path: RelativePath) -> BufferedReader:
        """Open a file for reading."""
        return os.fdopen(self._open_file(to_parts(path), os.O_RDONLY), "rb")

    def update(self, path: RelativePath) -> BufferedRandom:
        """Open an existing file for reading and writing."""
        return os.fdopen(self._open_file(to_parts(path), os.O_RDWR), "r+b")

    def create(self, path: RelativePath, *, mode: int = 0o644) -> BufferedWriter:
        """Create a new file for writing; fail if it exists."""
        parts = to_parts(path)
        with self.place(parts) as at, app_errors(parts):
            return new_file(at, mode)

    def make_folder(self, path: RelativePath) -> None:
        """Create the folder and its missing parents."""
        parts = to_parts(path)
        with app_errors_on_open(parts):
            trees.make_folders(os.open(self.path, OPEN_FOLDER), parts)

    def list(self, path: RelativePath = "") -> tuple[Entry, ...]:
        """List a folder, in the natural order of the names."""
        parts = to_parts(path)
        with self.folder(parts) as folder, app_errors(parts):
            with os.scandir(folder) as found:
                names = sorted((entry.name for entry in found), key=natural_sort_key)
            return tuple(_entries(folder, names))

    def stat(self, path: RelativePath = "") -> os.stat_result:
        parts = to_parts(path)
        if not parts:
            with self.folder(()) as folder:
                return os.fstat(folder)
        with self.place(parts) as at, app_errors(parts):
            return renames.stat_entry(at)

    def exists(self, path: RelativePath) -> bool:
        """Return whether the name exists, even as a dangling link."""
        try:
            self.stat(path)
        except AppError as error:
            if error.code in ("not_found", "not_a_folder"):
                return False
            raise
        return True

    def remove(self, path: RelativePath) -> None:
        """Delete a file or a link."""
        parts = to_parts(path)
        with self.place(parts) as at, app_errors(parts):
            if renames.is_folder(at):
                raise AppError(409, "is_a_folder", path=display_path(parts))
            renames.remove_file(at)

    def remove_folder(self, path: RelativePath) -> None:
        """Delete an empty folder."""
        parts = to_parts(path)
        with self.place(parts) as at, app_errors(parts):
            renames.remove_folder(at)

    def remove_tree(self, path: RelativePath) -> None:
        """Delete a folder and its content; links in it are deleted, not followed."""
        parts = to_parts(path)
        with self.place(parts) as at, app_errors(parts):
            trees.remove_tree(at)

    def rename(self, path: RelativePath, new: RelativePath, to: "Root | None" = None) -> None:
        """Rename within one file system, also to another root; never replace anything."""
        source, target = to_parts(path), to_parts(new)
        with (
            self.place(source) as one,
            (to or self).place(target) as other,
            app_errors_on_rename(source, target),
        ):
            renames.rename_no_replace(one, other)

    def require_space(self, needed: int, path: RelativePath = "") -> None:
        parts = to_parts(path)
        with self.folder(parts) as folder:
            space.require_space(folder, needed, parts)

    @contextmanager
    def folder(self, parts: Parts) -> Iterator[int]:
        """Open a folder; used by the other modules of this package."""
        with app_errors_on_open(parts), closing_fd(os.open(self.path, OPEN_FOLDER)) as top:
            fd = open_beneath(top, parts, OPEN_FOLDER)
        with closing_fd(fd):
            yield fd

    @contextmanager
    def place(self, parts: Parts) -> Iterator[EntryRef]:
        """Open the parent folder of a path; the path must not be the root itself."""
        if not parts:
            raise AppError(400, "path_invalid", path=display_path(parts))
        with self.folder(parts[:-1]) as folder:
            yield EntryRef(folder, parts[-1])

    def _open_file(self, parts: Parts, flags: int) -> int:
        with app_errors_on_open(parts), closing_fd(os.open(self.path, OPEN_FOLDER)) as top:
            # Without O_NONBLOCK, opening a named pipe would block forever.
            flags |= os.O_NONBLOCK
            fd = open_beneath(top, parts, flags)
        mode = os.fstat(fd).st_mode
        if stat.S_ISREG(mode):
            return fd
        os.close(fd)
        if stat.S_ISDIR(mode):
            raise AppError(409, "is_a_folder", path=display_path(parts))
        raise AppError(400, "path_invalid", path=display_path(parts))


def new_file(place: EntryRef, mode: int) -> BufferedWriter:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.fdopen(os.open(place.name, flags, mode, dir_fd=place.folder), "wb")


def _entries(folder: int, names: list[str]) -> Iterator[Entry]:
    for name in names:
        try:
            yield Entry(name, renames.stat_entry(EntryRef(folder, name)))
        except FileNotFoundError:
            continue  # deleted since the listing
