"""Executes a plan in batches. Blocks; runs in its own thread."""

import secrets
import stat
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby

from quartet.kernel.db import Database
from quartet.kernel.errors import AppError, Problem
from quartet.media.moves.copying import CopyCallbacks
from quartet.media.moves.disk import Disk, identity
from quartet.media.moves.disk_errors import SkipFile, problem_from
from quartet.media.moves.file_moves import FileMove, PlannedMoves
from quartet.media.moves.file_operations import MovePaths, perform
from quartet.media.moves.generated_names import temporary_name
from quartet.media.moves.journal import Journal
from quartet.media.moves.junk import FolderCleaner
from quartet.media.moves.move_log import log_outcome, log_plan
from quartet.media.moves.move_order import MoveOrder, batches, order_moves
from quartet.media.moves.move_planner import MovePlanner
from quartet.media.moves.rollback import roll_back
from quartet.media.moves.types import (
    Cleaned,
    IsBetter,
    IsCancelled,
    MoveProgress,
    MoveReport,
    Plan,
    ProgressCallback,
)
from quartet.media.roots.folder_access import FolderAccess

BATCH = 1000
# How many times another process may take a name just before us.
MAX_TRIES = 20


class MoveEngine:
    """Executes one plan. `cancelled` is checked between files and during copies."""

    def __init__(
        self,
        db: Database,
        access: FolderAccess,
        plan: Plan,
        *,
        better: IsBetter | None = None,
        watch: ProgressCallback | None = None,
        cancelled: IsCancelled = lambda: False,
    ) -> None:
        self._access = access
        self._plan = plan
        self._watch = watch
        self._cancelled = cancelled
        self._run = secrets.token_hex(8)
        self._moves = PlannedMoves(plan, access)
        self._disk = Disk()
        self._journal = Journal(db)
        self._planner = MovePlanner(self._disk, self._moves.moves, better, self._run, plan.job_id)
        self._finished = len(self._moves.refused)
        self._stopped = False
        # Files of a cycle that are parked.
        self._parked: set[int] = set()

    def run(self) -> MoveReport:
        for root in {
            location.root for move in self._moves.moves for location in (move.source, move.target)
        }:
            self._access.require_present(root)
        cleaned = Cleaned()
        try:
            for group in self._groups():
                self._run_group(group)
            if self._plan.clean_sources and not self._stopped:
                cleaned = self._clean_folders()
        finally:
            self._journal.flush()
            self._disk.forget()
        outcomes = [move.outcome for move in self._moves.moves if move.outcome]
        return MoveReport(self._moves.refused + outcomes, self._stopped, cleaned)

    def _groups(self) -> Iterator[list[FileMove]]:
        """Yield files before their folders, and inner folders before outer ones."""
        folders = [move for move in self._moves.moves if self._is_folder(move)]
        chosen = set(folders)
        yield [move for move in self._moves.moves if move not in chosen]
        folders.sort(key=_depth, reverse=True)
        for _, group in groupby(folders, key=_depth):
            yield list(group)

    def _is_folder(self, move: FileMove) -> bool:
        try:
            seen = self._disk.stat_if_exists(move.source)
        except (AppError, OSError):
            return False
        return seen is not None and stat.S_ISDIR(seen.st_mode)

    def _run_group(self, moves: Sequence[FileMove]) -> None:
        order = order_moves([move.link() for move in moves])
        for numbers in batches(order, BATCH):
            self._disk.forget()
            self._planner.new_batch()
            chosen = self._plan_batch(moves, numbers, order)
            self._journal.record_intents([move.operation for move in chosen if move.operation])
            self._execute_batch(moves, numbers, order)
            self._journal.flush()
            for number in numbers:
                log_outcome(self._plan.job_id, moves[number])

    def _plan_batch(
        self, moves: Sequence[FileMove], numbers: list[int], order: MoveOrder
    ) -> list[FileMove]:
        parked = {order.parking[number] for number in numbers if number in order.parking}
        self._planner.leaving_paths.update(moves[number].source.path for number in parked)
        chosen = []
        for number in numbers:
            move = moves[number]
            if move.outcome:
                continue
            try:
                self._planner.plan(move)
            except (AppError, OSError, SkipFile) as error:
                self._fail(move, error)
                continue
            if number in parked:
                _plan_parking(move)
            log_plan(self._plan.job_id, move)
            chosen.append(move)
        return chosen

    def _execute_batch(
        self, moves: Sequence[FileMove], numbers: list[int], order: MoveOrder
    ) -> None:
        for number in numbers:
            self._stopped = self._stopped or self._may_stop()
            move = moves[number]
            if number in order.parking and not self._is_stopped_before(move):
                self._parked.add(order.parking[number])
                self._park_source(moves[order.parking[number]])
            if move.outcome is None:
                self._finish(move)
            self._parked.discard(number)
            self._finished += 1
            self._report_progress(move, 0, 0)

    def _may_stop(self) -> bool:
        """Never stop while a file of a cycle is parked, because its old name may be taken."""
        return not self._parked and self._cancelled()

    def _is_stopped_before(self, move: FileMove) -> bool:
        """Companion files of a moved video are still moved; no later job would find them."""
        return self._stopped and not move.follows_moved_main

    def _park_source(self, move: FileMove) -> None:
        """Park the file so that another file of the cycle can take its name.

        The journal has the path.
        """
        if move.outcome is None and move.route and move.route.parked:
            try:
                self._disk.rename(move.source, move.route.parked)
            except (AppError, OSError) as error:
                self._fail(move, error)

    def _finish(self, move: FileMove) -> None:
        try:
            if self._is_stopped_before(move):
                raise SkipFile(Problem("cancelled", {"path": move.source.name}))
            self._execute_with_retries(move)
        except (AppError, OSError, SkipFile) as error:
            self._fail(move, error)
        else:
            move.finish()

    def _execute_with_retries(self, move: FileMove) -> None:
        for _ in range(MAX_TRIES):
            if move.main and not move.main.allows_companions:
                raise SkipFile(Problem("main_not_moved", {"path": move.main.source.name}))
            try:
                self._perform(move)
                return
            except AppError as error:
                if not self._adjust_for_retry(move, error):
                    raise
        raise AppError(409, "already_exists", path=move.target.name)

    def _adjust_for_retry(self, move: FileMove, error: AppError) -> bool:
        """Adjust the paths if another process took the name, or if one disk has two mounts."""
        route, operation = move.route, move.operation
        if route is None or operation is None or operation.is_folder:
            return False
        if error.code == "different_mount" and move.action == "move" and not route.temporary:
            move.route = route._replace(temporary=route.target.with_name(temporary_name()))
            operation.temporary = move.route.temporary.path if move.route.temporary else None
        elif error.code == "already_exists" and not route.parked:
            self._planner.leaving_paths.discard(route.target.path)
            self._planner.plan(move)
        else:
            return False
        if move.operation:
            self._journal.update_intents(move.operation)
        return True

    def _perform(self, move: FileMove) -> None:
        route, operation = move.route, move.operation
        if route is None or operation is None:
            return
        if route.parked and self._disk.stat_if_exists(route.parked) is None:
            self._disk.rename(route.source, route.parked)
        made = self._disk.make_folders(route.target.parent)
        operation.created_folders = made
        try:
            may_stop = (lambda: False) if move.follows_moved_main else self._may_stop
            callbacks = CopyCallbacks(partial(self._report_progress, move), may_stop)
            operation.digest = perform(self._disk, operation.action, route, callbacks)
        except BaseException:
            for path in reversed(made):
                self._disk.remove_empty(self._access.resolve(path))
            raise
        operation.state = "done"
        if route.temporary or operation.action == "hardlink":
            self._record_target_identity(move, route)
        self._journal.record_result(operation)

    def _record_target_identity(self, move: FileMove, route: MovePaths) -> None:
        """Record the copy's own identity, which differs from the source's."""
        seen = self._disk.stat_if_exists(route.target)
        if seen and move.operation:
            found = identity(seen)
            move.operation.size, move.operation.mtime_ns, move.operation.inode = found

    def _fail(self, move: FileMove, error: AppError | OSError | SkipFile) -> None:
        problem = problem_from(error, move.source.path)
        operation = move.operation
        if operation and operation.id:
            moved = roll_back(self._disk, self._access, operation)
            operation.state, operation.error = ("done" if moved else "failed"), problem
            if moved:
                problem = Problem("moved_elsewhere", {"path": moved.name})
            self._journal.record_result(operation)
        move.finish(
            problem, skipped=isinstance(error, SkipFile) and problem.code != "moved_elsewhere"
        )

    def _report_progress(self, move: FileMove, done: int, total: int) -> None:
        if self._watch:
            files = len(self._moves.moves) + len(self._moves.refused)
            self._watch(MoveProgress(self._finished, files, move.source.path, done, total))

    def _clean_folders(self) -> Cleaned:
        left = {
            move.source.parent
            for move in self._moves.moves
            if move.is_done and move.action == "move"
        }
        keep = self._access.paths | self._plan.keep_folders
        cleaner = FolderCleaner(
            self._disk,
            self._journal,
            self._run,
            self._plan.job_id,
            keep,
            self._plan.junk,
        )
        return cleaner.clean(left)


def _depth(move: FileMove) -> int:
    return len(move.source.parts)


def _plan_parking(move: FileMove) -> None:
    if move.route and move.operation:
        parked = move.source.with_name(temporary_name())
        move.route = move.route._replace(parked=parked)
        move.operation.parked = parked.path
