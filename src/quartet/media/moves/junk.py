"""Removes source folders that are empty or contain only junk. The junk can be restored."""

import os
from collections.abc import Iterable
from contextlib import suppress

from quartet.kernel.clock import now_ms
from quartet.kernel.errors import AppError
from quartet.media.moves.disk import Disk, identity
from quartet.media.moves.generated_names import JUNK_FOLDER, shortened, temporary_name
from quartet.media.moves.journal import Journal
from quartet.media.moves.junk_names import is_junk_folder, is_release_file, is_system_file
from quartet.media.moves.types import Cleaned, JunkKind, LeftFolder, Operation
from quartet.media.roots.file_kinds import file_kind
from quartet.media.roots.folder_access import RootedPath
from quartet.media.roots.path_encoding import encode_path

_MOST_NAMES = 5
# Folders below a source folder in which videos are looked for.
_DEPTH = 3


class _Content:
    """What is in a folder: junk, and folders to remove with it, or else what makes it stay."""

    def __init__(self) -> None:
        self.junk: list[RootedPath] = []
        self.folders: list[RootedPath] = []
        self.others: list[os.DirEntry[str]] = []


class FolderCleaner:
    def __init__(
        self,
        disk: Disk,
        journal: Journal,
        run: str,
        job_id: int | None,
        keep: frozenset[str],
        kind: JunkKind,
    ) -> None:
        self._disk = disk
        self._journal = journal
        self._run = run
        self._job_id = job_id
        self._keep = keep
        self._kind = kind

    def clean(self, folders: Iterable[RootedPath]) -> Cleaned:
        """Clean the folders that files were moved from, and the folders above them."""
        self._disk.forget()
        sources = set(folders)
        junk: list[RootedPath] = []
        empty: set[RootedPath] = set()
        left: list[LeftFolder] = []
        for folder in self._deepest_first(sources):
            with suppress(AppError, OSError):
                content = self._content(folder, empty)
                if not content.others:
                    junk += content.junk
                    empty |= {folder, *content.folders}
                elif folder in sources and not self._has_videos(folder):
                    left += _left_folder(folder, content.others)
        removed = self._remove(junk)
        for folder in sorted(empty, key=_depth, reverse=True):
            self._disk.remove_empty(folder)
        return Cleaned(removed, tuple(left))

    def _deepest_first(self, folders: Iterable[RootedPath]) -> list[RootedPath]:
        """Return the folders and their removable parents, deepest first."""
        found: set[RootedPath] = set()
        for folder in folders:
            while folder.parts and folder not in found and folder.path not in self._keep:
                found.add(folder)
                folder = folder.parent
        return sorted(found, key=_depth, reverse=True)

    def _content(self, folder: RootedPath, empty: set[RootedPath]) -> _Content:
        """Return what is in a folder; `empty` ones will have been removed."""
        found = _Content()
        for entry in self._disk.names(folder):
            location = RootedPath(folder.root, (*folder.parts, entry.name))
            if location in empty:
                continue
            if self._is_junk_file(entry, location):
                found.junk.append(location)
            elif self._is_junk_folder(entry, location):
                inner = self._content(location, empty)
                found.junk += inner.junk
                found.folders += [location, *inner.folders]
                found.others += [entry] if inner.others else []
            else:
                found.others.append(entry)
        return found

    def _is_junk_file(self, entry: os.DirEntry[str], location: RootedPath) -> bool:
        if self._kind != "none" and is_system_file(entry):
            return True
        return self._kind == "release" and is_release_file(self._disk, location, entry)

    def _is_junk_folder(self, entry: os.DirEntry[str], location: RootedPath) -> bool:
        if self._kind != "release" or location.path in self._keep:
            return False
        return entry.is_dir(follow_symlinks=False) and is_junk_folder(entry.name)

    def _has_videos(self, folder: RootedPath, depth: int = 0) -> bool:
        for entry in self._disk.names(folder):
            if entry.is_dir(follow_symlinks=False):
                inner = RootedPath(folder.root, (*folder.parts, entry.name))
                if is_junk_folder(entry.name) or depth == _DEPTH:
                    continue
                if self._has_videos(inner, depth + 1):
                    return True
            elif file_kind(entry.name) == "video":
                return True
        return False

    def _remove(self, junk: list[RootedPath]) -> int:
        """Return how many files were removed."""
        operations = {one: operation for one in junk if (operation := self._operation(one))}
        self._journal.record_intents([*operations.values()])
        for location, operation in operations.items():
            self._move_to_junk(location, operation)
        self._journal.flush()
        return sum(operation.state == "done" for operation in operations.values())

    def _operation(self, location: RootedPath) -> Operation | None:
        """Return None if another process removed the file."""
        name = shortened(f"{temporary_name()}-{location.name}", "")
        seen = self._disk.stat_if_exists(location)
        if seen is None:
            return None
        size, mtime_ns, inode = identity(seen)
        return Operation(
            run=self._run,
            job_id=self._job_id,
            role="junk",
            action="move",
            source=location.path,
            target=RootedPath(location.root, (JUNK_FOLDER, name)).path,
            size=size,
            mtime_ns=mtime_ns,
            inode=inode,
            executed_at=now_ms(),
        )

    def _move_to_junk(self, location: RootedPath, operation: Operation) -> None:
        target = RootedPath(location.root, (JUNK_FOLDER, operation.target.rpartition("/")[2]))
        try:
            self._disk.make_folders(target.parent)
            self._disk.rename(location, target)
            operation.state = "done"
        except (AppError, OSError):
            # Junk that cannot be moved stays, and so does its folder.
            operation.state = "failed"
        self._journal.record_result(operation)


def _left_folder(folder: RootedPath, others: list[os.DirEntry[str]]) -> list[LeftFolder]:
    names = sorted(
        encode_path(f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name)
        for entry in others
    )
    more = max(0, len(names) - _MOST_NAMES)
    return [LeftFolder(encode_path(folder.path), tuple(names[:_MOST_NAMES]), more)]


def _depth(folder: RootedPath) -> int:
    return len(folder.parts)
