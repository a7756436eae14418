"""Undoes operations, newest first. Blocks; runs in its own thread."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import groupby
from typing import NamedTuple

from quartet.kernel.db import Database
from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from quartet.kernel.log import problem_text
from quartet.media.history.types import NotUndone
from quartet.media.history.undo_check import undo_paths
from quartet.media.moves import store
from quartet.media.moves.copying import CopyCallbacks
from quartet.media.moves.disk import Disk
from quartet.media.moves.disk_errors import problem_from, with_encoded_paths
from quartet.media.moves.file_operations import MovePaths, perform
from quartet.media.moves.generated_names import JUNK_FOLDER, temporary_name
from quartet.media.moves.journal import Journal
from quartet.media.moves.move_order import MoveLink, MoveOrder, batches, order_moves
from quartet.media.moves.reconcile import restore_backup, update_copy_inode
from quartet.media.moves.rollback import unpark
from quartet.media.moves.types import IsCancelled, Operation
from quartet.media.roots.folder_access import FolderAccess, RootedPath
from quartet.media.roots.path_encoding import encode_path

log = logging.getLogger("quartet.media.history")

BATCH = 1000


class UndoStep(NamedTuple):
    row: Operation
    route: MovePaths


class Undoer:
    """`now` returns milliseconds since 1970."""

    def __init__(
        self, db: Database, access: FolderAccess, cancelled: IsCancelled, now: Callable[[], int]
    ) -> None:
        self._db = db
        self._access = access
        self._cancelled = cancelled
        self._now = now
        self._disk = Disk()
        self._journal = Journal(db, store.save_undo)
        self._chosen: dict[int, Operation] = {}
        self._has_rings = False
        self.undone: list[Operation] = []
        self.failed: list[NotUndone] = []

    def undo(self, rows: Iterable[Operation]) -> None:
        """Undo run by run, because a later run may have moved the same files again."""
        newest = sorted(rows, key=lambda row: row.id, reverse=True)
        last = {row.run: row.id for row in reversed(newest)}
        newest.sort(key=lambda row: last[row.run], reverse=True)
        self._chosen = {row.id: row for row in newest}
        try:
            for _, of_run in groupby(newest, key=lambda row: row.run):
                for group in _groups(list(of_run)):
                    self._undo_group(group)
            self._remove_folders()
        finally:
            self._journal.flush()
            self._disk.forget()

    def _undo_group(self, rows: list[Operation]) -> None:
        order = order_moves([_link(row) for row in rows])
        # A cycle must be finished, because each file has another one's name.
        self._has_rings = bool(order.parking)
        for numbers in batches(order, BATCH):
            if self._cancelled():
                return
            self._disk.forget()
            steps = self._verify(rows, numbers, order)
            self._journal.update_intents(*(step.row for step in steps.values()))
            for number in numbers:
                self._park(steps.get(order.parking.get(number, -1)))
                if number in steps:
                    self._undo_step(steps[number])
            self._journal.flush()
            for step in steps.values():
                _log_result(step.row)

    def _verify(
        self, rows: list[Operation], numbers: list[int], order: MoveOrder
    ) -> dict[int, UndoStep]:
        parked = {order.parking[number] for number in numbers if number in order.parking}
        leaving_paths = {rows[number].target for number in parked}
        steps: dict[int, UndoStep] = {}
        present: set[Root] = set()
        for number in numbers:
            row = rows[number]
            try:
                route = undo_paths(self._disk, self._access, row, leaving_paths, present)
            except (AppError, OSError) as error:
                self._fail(row, error)
                continue
            leaving_paths.add(row.target)
            if number in parked:
                route = route._replace(parked=route.source.with_name(temporary_name()))
            row.state = "undoing"
            row.parked = route.parked.path if route.parked else None
            row.temporary = route.temporary.path if route.temporary else None
            steps[number] = UndoStep(row, route)
        return steps

    def _park(self, step: UndoStep | None) -> None:
        if step and step.route.parked:
            # If this fails, the file that needs the name reports it.
            with suppress(AppError, OSError):
                self._disk.rename(step.route.source, step.route.parked)

    def _undo_step(self, step: UndoStep) -> None:
        row, route = step
        try:
            self._move_back(row, route)
        except (AppError, OSError) as error:
            if route.parked and (fallback := unpark(self._disk, route.parked, route.source)):
                row.target = fallback.path
            row.state = "done"
            self._fail(row, error)
        else:
            if row.temporary:
                self._update_earlier_inode(row)
            restore_backup(self._disk, self._access, row)
            row.state, row.undone_at, row.error = "undone", self._now(), None
            self.undone.append(row)
        row.parked = row.temporary = None
        self._journal.record_result(row)

    def _move_back(self, row: Operation, route: MovePaths) -> None:
        if row.action != "move" or row.role == "artwork":
            self._disk.remove(route.source)
            return
        if route.parked and self._disk.stat_if_exists(route.parked) is None:
            raise AppError(404, "file_missing", path=route.source.name)
        self._disk.make_folders(route.target.parent)
        callbacks = CopyCallbacks(
            lambda _done, _total: None, lambda: not self._has_rings and self._cancelled()
        )
        try:
            perform(self._disk, "move", route, callbacks)
        except AppError as error:
            if error.code != "different_mount" or route.temporary or row.is_folder:
                raise
            # Two mounts of one disk looked like one.
            route = route._replace(temporary=route.target.with_name(temporary_name()))
            row.temporary = route.temporary.path if route.temporary else None
            self._journal.update_intents(row)
            perform(self._disk, "move", route, callbacks)

    def _update_earlier_inode(self, row: Operation) -> None:
        with self._db.engine.connect() as conn:
            found = store.previous_operation(conn, row)
        if found:
            earlier = self._chosen.get(found.id, found)
            update_copy_inode(self._disk, self._access, row, earlier)
            self._journal.record_result(earlier)

    def _fail(self, row: Operation, error: AppError | OSError) -> None:
        problem = problem_from(error, row.target)
        self.failed.append(NotUndone(row.id, problem.code, problem.inputs))
        log.info(
            "%s: undo of operation %d failed: %s",
            _subject(row),
            row.id,
            problem_text(with_encoded_paths(problem)),
        )

    def _remove_folders(self) -> None:
        """Remove folders that the undone runs created, if they are empty."""
        runs = sorted({row.run for row in self.undone})
        with self._db.engine.connect() as conn:
            made = store.created_folders_of(conn, runs)
        locations = {self._access.resolve(path) for path in made if self._access.contains(path)}
        locations |= {
            RootedPath(self._access.resolve(row.target).root, (JUNK_FOLDER,))
            for row in self.undone
            if row.role == "junk"
        }
        for location in sorted(locations, key=lambda one: len(one.parts), reverse=True):
            if location.path not in self._access.paths:
                self._disk.remove_empty(location)


def _log_result(row: Operation) -> None:
    if row.state == "undone":
        log.info("%s: %s of %s undone", _subject(row), row.action, encode_path(row.source))


def _subject(row: Operation) -> str:
    """Return what the operation belongs to; junk and imported entries have no item."""
    if row.job_id is None:
        return "imported entry"
    return f"job {row.job_id} {row.role if row.item_id is None else f'item {row.item_id}'}"


def _groups(run: list[Operation]) -> Iterator[list[Operation]]:
    """Folders moved last, so they move back first, outermost before inner ones."""
    folders = sorted((row for row in run if row.is_folder), key=_depth)
    for _, group in groupby(folders, key=_depth):
        yield list(group)
    yield [row for row in run if not row.is_folder]


def _depth(row: Operation) -> int:
    return row.source.count("/")


def _link(row: Operation) -> MoveLink:
    return MoveLink(row.target, row.source if row.action == "move" else "", leaves=True)
