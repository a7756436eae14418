"""Moves extracted files to the target folder.

Each entry is one rename, so no partial files are visible. After a crash the merge is repeated: an
existing file with the same content is kept, so no file appears twice.
"""

import os
import stat
from typing import NamedTuple

from quartet.downloads.archives.types import Parts
from quartet.kernel.errors import AppError
from quartet.kernel.files import Entry, Root, move, unique_name
from quartet.kernel.files.errors import display_path

_STEP = 1 << 20


class FolderMerge(NamedTuple):
    root: Root
    source: Parts
    target: Parts

    def run(self) -> dict[Parts, str]:
        """Move everything; return the new names of files that had to be renamed."""
        self._require_no_clashes()
        renamed: dict[Parts, str] = {}
        waiting: list[Parts] = [()]
        while waiting:
            folder = waiting.pop()
            for entry in self.root.list((*self.source, *folder)):
                path = (*folder, entry.name)
                if entry.is_folder:
                    if not self._move_folder(path):
                        waiting.append(path)
                elif (name := self._move_file(path)) != entry.name:
                    renamed[path] = name
        return renamed

    def _require_no_clashes(self) -> None:
        """Before moving anything, raise an error if a file would replace a folder or vice versa."""
        waiting: list[Parts] = [()]
        while waiting:
            folder = waiting.pop()
            there = {entry.name: entry for entry in self.root.list((*self.target, *folder))}
            for entry in self.root.list((*self.source, *folder)):
                other = there.get(entry.name)
                if other and other.is_folder != entry.is_folder:
                    raise self._clash((*folder, entry.name))
                if other and entry.is_folder:
                    waiting.append((*folder, entry.name))

    def _move_folder(self, path: Parts) -> bool:
        """Move a folder; return False if it exists, in which case its content is moved instead."""
        try:
            move(self.root, (*self.source, *path), (*self.target, *path))
        except AppError as error:
            if error.code != "already_exists":
                raise
            if not self._target_entry(path).is_folder:
                raise self._clash(path) from error
            return False
        return True

    def _move_file(self, path: Parts) -> str:
        *folder, wanted = path
        taken: set[str] = set()
        while True:
            name = unique_name(wanted, taken)
            place = (*folder, name)
            try:
                move(self.root, (*self.source, *path), (*self.target, *place))
            except AppError as error:
                if error.code != "already_exists":
                    raise
                if name == wanted and self._target_entry(place).is_folder:
                    raise self._clash(place) from error
                if self._same_content(path, place):
                    return name
                taken.add(name)
            else:
                return name

    def _same_content(self, path: Parts, place: Parts) -> bool:
        there = self._target_entry(place)
        new = self.root.stat((*self.source, *path))
        if stat.S_ISLNK(new.st_mode):
            return there.is_link and self._same_link(path, place)
        if not there.is_file or there.stat.st_size != new.st_size:
            return False
        with (
            self.root.open((*self.source, *path)) as one,
            self.root.open((*self.target, *place)) as other,
        ):
            while data := one.read(_STEP):
                if data != other.read(_STEP):
                    return False
        return True

    def _same_link(self, path: Parts, place: Parts) -> bool:
        """Return whether two links lead to the same place."""
        with (
            self.root.place((*self.source, *path)) as one,
            self.root.place((*self.target, *place)) as other,
        ):
            return os.readlink(one.name, dir_fd=one.folder) == os.readlink(
                other.name, dir_fd=other.folder
            )

    def _target_entry(self, place: Parts) -> Entry:
        return Entry(place[-1], self.root.stat((*self.target, *place)))

    def _clash(self, path: Parts) -> AppError:
        return AppError(409, "already_exists", path=display_path((*self.target, *path)))
