"""Undoes operations, newest first. Blocks: runs in a thread of its own."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import groupby
from typing import NamedTuple

from quartet.kernel.db import Database
from quartet.kernel.errors import AppError
from quartet.media.history.types import NotUndone
from quartet.media.history.verify import verified
from quartet.media.moves import store
from quartet.media.moves.acts import Route, perform
from quartet.media.moves.copying import Telling
from quartet.media.moves.disk import Disk
from quartet.media.moves.faults import problem_from
from quartet.media.moves.journal import Journal
from quartet.media.moves.names import JUNK_FOLDER, temporary_name
from quartet.media.moves.order import Link, Order, batches, ordered
from quartet.media.moves.parking import unpark
from quartet.media.moves.reconcile import know_copy_again, restore_backup
from quartet.media.moves.types import Cancelled, Operation
from quartet.media.roots.places import Places, Spot

BATCH = 1000


class Way(NamedTuple):
    row: Operation
    route: Route


class Undoer:
    """`now` gives milliseconds since 1970."""

    def __init__(
        self, db: Database, places: Places, cancelled: Cancelled, now: Callable[[], int]
    ) -> None:
        self._db = db
        self._places = places
        self._cancelled = cancelled
        self._now = now
        self._disk = Disk()
        self._journal = Journal(db)
        self._chosen: dict[int, Operation] = {}
        self._has_rings = False
        self.undone: list[Operation] = []
        self.failed: list[NotUndone] = []

    def undo(self, rows: Iterable[Operation]) -> None:
        """Run by run, because a later one may have moved the same files again."""
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
        order = ordered([_link(row) for row in rows])
        # Half a ring cannot be left: each file holds the name of another.
        self._has_rings = bool(order.parking)
        for numbers in batches(order, BATCH):
            if self._cancelled():
                return
            self._disk.forget()
            ways = self._verify(rows, numbers, order)
            self._journal.revise(*(way.row for way in ways.values()))
            for number in numbers:
                self._leave(ways.get(order.parking.get(number, -1)))
                if number in ways:
                    self._go(ways[number])
            self._journal.flush()

    def _verify(self, rows: list[Operation], numbers: list[int], order: Order) -> dict[int, Way]:
        parked = {order.parking[number] for number in numbers if number in order.parking}
        leaving = {rows[number].target for number in parked}
        ways: dict[int, Way] = {}
        for number in numbers:
            row = rows[number]
            try:
                route = verified(self._disk, self._places, row, leaving)
            except (AppError, OSError) as error:
                self._fail(row, error)
                continue
            leaving.add(row.target)
            if number in parked:
                route = route._replace(parked=route.source.beside(temporary_name()))
            row.state = "undoing"
            row.parked = route.parked.path if route.parked else None
            row.temporary = route.temporary.path if route.temporary else None
            ways[number] = Way(row, route)
        return ways

    def _leave(self, way: Way | None) -> None:
        if way and way.route.parked:
            # If it fails, the file that wanted this name finds it taken and says so.
            with suppress(AppError, OSError):
                self._disk.rename(way.route.source, way.route.parked)

    def _go(self, way: Way) -> None:
        row, route = way
        try:
            self._go_back(row, route)
        except (AppError, OSError) as error:
            if route.parked and (near := unpark(self._disk, route.parked, route.source)):
                row.target = near.path
            row.state = "done"
            self._fail(row, error)
        else:
            if row.temporary:
                self._know_again(row)
            restore_backup(self._disk, self._places, row)
            row.state, row.undone_at, row.error = "undone", self._now(), None
            self.undone.append(row)
        row.parked = row.temporary = None
        self._journal.result(row)

    def _go_back(self, row: Operation, route: Route) -> None:
        if row.action != "move":
            self._disk.remove(route.source)
            return
        if route.parked and self._disk.look(route.parked) is None:
            raise AppError(404, "file_missing", path=route.source.name)
        self._disk.make_folders(route.target.parent)
        tell = Telling(
            lambda _done, _total: None, lambda: not self._has_rings and self._cancelled()
        )
        try:
            perform(self._disk, "move", route, tell)
        except AppError as error:
            if error.code != "different_mount" or route.temporary or row.is_folder:
                raise
            # Two mounts of one disk looked like one.
            route = route._replace(temporary=route.target.beside(temporary_name()))
            row.temporary = route.temporary.path if route.temporary else None
            self._journal.revise(row)
            perform(self._disk, "move", route, tell)

    def _know_again(self, row: Operation) -> None:
        with self._db.engine.connect() as conn:
            found = store.before(conn, row)
        if found:
            earlier = self._chosen.get(found.id, found)
            know_copy_again(self._disk, self._places, row, earlier)
            self._journal.result(earlier)

    def _fail(self, row: Operation, error: AppError | OSError) -> None:
        problem = problem_from(error, row.target)
        self.failed.append(NotUndone(row.id, problem.code, problem.inputs))

    def _remove_folders(self) -> None:
        """Those the undone runs had made, as far as nothing lies in them."""
        runs = sorted({row.run for row in self.undone})
        with self._db.engine.connect() as conn:
            made = store.folders_of_runs(conn, runs)
        spots = {self._places.spot(path) for path in made if self._places.inside(path)}
        spots |= {
            Spot(self._places.spot(row.target).root, (JUNK_FOLDER,))
            for row in self.undone
            if row.role == "junk"
        }
        for spot in sorted(spots, key=lambda one: len(one.parts), reverse=True):
            if spot.path not in self._places.paths:
                self._disk.remove_empty(spot)


def _groups(run: list[Operation]) -> Iterator[list[Operation]]:
    """Folders went last, so they go back first, the outermost before what is in it."""
    folders = sorted((row for row in run if row.is_folder), key=_depth)
    for _, group in groupby(folders, key=_depth):
        yield list(group)
    yield [row for row in run if not row.is_folder]


def _depth(row: Operation) -> int:
    return row.source.count("/")


def _link(row: Operation) -> Link:
    return Link(row.target, row.source if row.action == "move" else "", leaves=True)
