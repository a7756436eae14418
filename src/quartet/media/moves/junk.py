"""Removes source folders that contain only junk. The junk can be restored."""

import re
from collections.abc import Iterable
from contextlib import suppress

from quartet.kernel.clock import now_ms
from quartet.kernel.errors import AppError
from quartet.media.moves.disk import Disk, identity
from quartet.media.moves.generated_names import JUNK_FOLDER, shortened, temporary_name
from quartet.media.moves.journal import Journal
from quartet.media.moves.types import Operation
from quartet.media.roots.folder_access import RootedPath

_JUNK = re.compile(
    r"thumbs\.db|\.ds_store|desktop\.ini|.*\.(url|nzb|sfv|srr|par2)|rarbg.*\.(txt|exe)",
    re.IGNORECASE | re.DOTALL,
)


def is_junk(name: str) -> bool:
    return _JUNK.fullmatch(name) is not None


class FolderCleaner:
    def __init__(
        self, disk: Disk, journal: Journal, run: str, job_id: int | None, keep: frozenset[str]
    ) -> None:
        self._disk = disk
        self._journal = journal
        self._run = run
        self._job_id = job_id
        self._keep = keep

    def clean(self, folders: Iterable[RootedPath]) -> None:
        self._disk.forget()
        junk: dict[RootedPath, Operation] = {}
        empty: set[RootedPath] = set()
        for folder in self._deepest_first(folders):
            found = self._only_junk(folder, empty)
            if found is not None:
                empty.add(folder)
                junk.update(found)
        self._journal.record_intents(list(junk.values()))
        for location, operation in junk.items():
            self._move_to_junk(location, operation)
        self._journal.flush()
        for folder in sorted(empty, key=_depth, reverse=True):
            self._disk.remove_empty(folder)

    def _deepest_first(self, folders: Iterable[RootedPath]) -> list[RootedPath]:
        """Return the folders and their removable parents, deepest first."""
        found: set[RootedPath] = set()
        for folder in folders:
            while folder.parts and folder not in found and folder.path not in self._keep:
                found.add(folder)
                folder = folder.parent
        return sorted(found, key=_depth, reverse=True)

    def _only_junk(
        self, folder: RootedPath, empty: set[RootedPath]
    ) -> dict[RootedPath, Operation] | None:
        """Return the junk in a folder that contains nothing else; None if the folder must stay."""
        junk: dict[RootedPath, Operation] = {}
        with suppress(AppError, OSError):
            for entry in self._disk.names(folder):
                location = RootedPath(folder.root, (*folder.parts, entry.name))
                if location in empty:
                    continue
                if not is_junk(entry.name) or not entry.is_file(follow_symlinks=False):
                    return None
                junk[location] = self._operation(location)
            return junk
        return None

    def _operation(self, location: RootedPath) -> Operation:
        name = shortened(f"{temporary_name()}-{location.name}", "")
        seen = self._disk.stat_if_exists(location)
        if seen is None:
            raise AppError(404, "not_found", path=location.name)
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


def _depth(folder: RootedPath) -> int:
    return len(folder.parts)
