"""Plans one file's move from the current state of the disk. Reads the disk only."""

import os
import stat
import unicodedata
from collections.abc import Iterable

from quartet.kernel.clock import now_ms
from quartet.kernel.errors import AppError, Problem
from quartet.media.moves.disk import Disk, identity
from quartet.media.moves.disk_errors import SkipFile
from quartet.media.moves.file_moves import FileMove
from quartet.media.moves.file_operations import MovePaths
from quartet.media.moves.generated_names import (
    MOST_NUMBERS,
    backup_name,
    collision_key,
    numbered,
    split_tail,
    temporary_name,
)
from quartet.media.moves.types import IsBetter, Operation
from quartet.media.roots.folder_access import RootedPath


class MovePlanner:
    def __init__(
        self,
        disk: Disk,
        moves: Iterable[FileMove],
        better: IsBetter | None,
        run: str,
        job_id: int | None,
    ) -> None:
        self._disk = disk
        self._better = better
        self._run = run
        self._job_id = job_id
        moves = list(moves)
        self._by_source = {move.source.path: move for move in moves}
        self._claimed = {collision_key(move.target.path) for move in moves}
        self._numbers: dict[str, int] = {}
        # Names that will be free, and folders that will exist, when it is their turn.
        self.leaving_paths: set[str] = set()
        self._planned_folders: set[str] = set()

    def new_batch(self) -> None:
        self.leaving_paths.clear()
        self._planned_folders.clear()

    def plan(self, move: FileMove) -> None:
        """Set the paths and the journal row of the move, or raise."""
        seen = self._source(move)
        target = self._companion_target(move) if move.main else move.target
        target = self._existing_spelling(target)
        if target == move.source:
            raise SkipFile(Problem("same_path", {"path": target.name}))
        route = self._route(move, target, seen)
        if move.action == "move":
            self.leaving_paths.add(move.source.path)
        move.route = route
        move.operation = self._operation(move, route, seen)

    def _existing_spelling(self, target: RootedPath) -> RootedPath:
        """Return the target with the names of existing folders and files.

        A disk may have the same text in another Unicode form, which looks like a second folder.
        """
        if target.path.isascii():
            return target
        parts: tuple[str, ...] = ()
        for part in target.parts:
            parts = (*parts, self._spelling(RootedPath(target.root, (*parts, part))))
        return RootedPath(target.root, parts)

    def _spelling(self, location: RootedPath) -> str:
        name = location.name
        if name.isascii() or self._disk.stat_if_exists(location):
            return name
        for form in ("NFC", "NFD"):
            other = location.with_name(unicodedata.normalize(form, name))
            if other.name != name and self._disk.stat_if_exists(other):
                return other.name
        return name

    def _source(self, move: FileMove) -> os.stat_result:
        seen = self._disk.stat_if_exists(move.source)
        if seen is None:
            raise AppError(404, "not_found", path=move.source.name)
        if stat.S_ISDIR(seen.st_mode):
            if move.action != "move":
                raise AppError(409, "is_a_folder", path=move.source.name)
            if move.target.path.startswith(move.source.path + "/"):
                raise AppError(400, "move_into_itself", path=move.source.name)
        elif not stat.S_ISREG(seen.st_mode):
            raise AppError(400, "not_a_file", path=move.source.name)
        return seen

    def _companion_target(self, move: FileMove) -> RootedPath:
        """A companion file moves only if its video does, and takes over the video's new name."""
        main = move.main
        if main is None:
            return move.target
        if main.outcome is None and main.operation is None:
            return (
                move.target
            )  # its turn comes later, because another file waits for this companion
        if not main.allows_companions:
            raise SkipFile(Problem("main_not_moved", {"path": main.source.name}))
        stem = split_tail(main.target.name)[0]
        if not main.number_suffix or not move.target.name.startswith(stem):
            return move.target
        new_stem = split_tail(numbered(main.target.name, main.number_suffix))[0]
        return move.target.with_name(new_stem + move.target.name[len(stem) :])

    def _route(self, move: FileMove, target: RootedPath, seen: os.stat_result) -> MovePaths:
        existing = None if target.path in self.leaving_paths else self._disk.stat_if_exists(target)
        parked: RootedPath | None = None
        if existing and os.path.samestat(existing, seen):
            if (
                collision_key(target.path) != collision_key(move.source.path)
                or existing.st_nlink > 1
            ):
                raise SkipFile(Problem("same_file", {"path": target.name}))
            # The same name in another spelling, on a case-insensitive disk.
            parked, existing = move.source.with_name(temporary_name()), None
        backup: RootedPath | None = None
        if existing or (move.is_duplicate and target == move.target):
            target, backup = self._resolve_conflict(move, target, existing)
        return MovePaths(move.source, target, backup, parked, self._temporary(move, target, seen))

    def _resolve_conflict(
        self, move: FileMove, target: RootedPath, existing: os.stat_result | None
    ) -> tuple[RootedPath, RootedPath | None]:
        """Return the target and the backup path for a name that is taken."""
        if move.policy == "suffix":
            return self._numbered_target(move, target), None
        self._require_replaceable(move, target, existing)
        at = now_ms()
        while self._disk.stat_if_exists(backup := target.with_name(backup_name(target.name, at))):
            at += 1
        return target, backup

    def _require_replaceable(
        self, move: FileMove, target: RootedPath, existing: os.stat_result | None
    ) -> None:
        policy = move.policy
        if policy == "skip":
            raise SkipFile(Problem("already_exists", {"path": target.name}))
        if existing is None or not stat.S_ISREG(existing.st_mode):
            raise AppError(409, "already_exists", path=target.name)
        holder = self._by_source.get(target.path)
        if holder and holder is not move and not holder.is_done:
            raise AppError(409, "target_in_use", path=target.name)
        if policy == "keep_better":
            better = self._better(move.source.path, target.path) if self._better else None
            if not better:
                raise SkipFile(Problem("not_better", {"path": target.name}))

    def _numbered_target(self, move: FileMove, target: RootedPath) -> RootedPath:
        first = self._numbers.get(target.path, 0) + 1
        for number in range(first, MOST_NUMBERS + 1):
            free = target.with_name(numbered(target.name, number))
            if collision_key(free.path) not in self._claimed and not self._disk.stat_if_exists(
                free
            ):
                self._numbers[target.path] = number
                self._claimed.add(collision_key(free.path))
                move.number_suffix = number
                return free
        raise AppError(409, "already_exists", path=target.name)

    def _temporary(
        self, move: FileMove, target: RootedPath, seen: os.stat_result
    ) -> RootedPath | None:
        if move.action == "hardlink":
            return None
        if move.action == "move" and self._disk.device(target.parent) == seen.st_dev:
            return None
        if stat.S_ISDIR(seen.st_mode):
            raise AppError(409, "different_mount", path=target.name)
        return target.with_name(temporary_name())

    def _operation(self, move: FileMove, route: MovePaths, seen: os.stat_result) -> Operation:
        size, mtime_ns, inode = identity(seen)
        missing = [location.path for location in self._disk.missing(route.target.parent)]
        folders = [path for path in missing if path not in self._planned_folders]
        self._planned_folders.update(folders)
        return Operation(
            id=move.operation.id if move.operation else 0,
            run=self._run,
            job_id=self._job_id,
            item_id=move.step.item_id,
            role=move.role,
            action=move.action,
            source=route.source.path,
            target=route.target.path,
            is_folder=stat.S_ISDIR(seen.st_mode),
            size=size,
            mtime_ns=mtime_ns,
            inode=inode,
            backup=route.backup.path if route.backup else None,
            parked=route.parked.path if route.parked else None,
            temporary=route.temporary.path if route.temporary else None,
            created_folders=folders,
            executed_at=now_ms(),
        )
