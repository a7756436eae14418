"""Carries out a plan, batch by batch. Blocks: runs in a thread of its own."""

import secrets
import stat
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby

from quartet.kernel.db import Database
from quartet.kernel.errors import AppError, Problem
from quartet.media.moves.acts import Route, perform
from quartet.media.moves.choosing import Chooser
from quartet.media.moves.copying import Telling
from quartet.media.moves.disk import Disk, identity
from quartet.media.moves.faults import Skip, problem_from
from quartet.media.moves.journal import Journal
from quartet.media.moves.junk import Cleaner
from quartet.media.moves.names import temporary_name
from quartet.media.moves.order import Order, batches, ordered
from quartet.media.moves.parking import bring_back
from quartet.media.moves.types import Better, Cancelled, Plan, Progress, Report, Watch
from quartet.media.moves.work import Cut, Work
from quartet.media.roots.places import Places

BATCH = 1000
# How often a name may be taken by somebody else just before we take it.
MOST_TRIES = 20


class Engine:
    """For one plan; `cancelled` is asked between files and while one is copied."""

    def __init__(
        self,
        db: Database,
        places: Places,
        plan: Plan,
        *,
        better: Better | None = None,
        watch: Watch | None = None,
        cancelled: Cancelled = lambda: False,
    ) -> None:
        self._places = places
        self._plan = plan
        self._watch = watch
        self._cancelled = cancelled
        self._run = secrets.token_hex(8)
        self._cut = Cut(plan, places)
        self._disk = Disk()
        self._journal = Journal(db)
        self._chooser = Chooser(self._disk, self._cut.works, better, self._run, plan.job_id)
        self._finished = len(self._cut.refused)
        self._stopped = False
        # Files of a ring that are parked.
        self._waiting: set[int] = set()

    def run(self) -> Report:
        for root in {spot.root for work in self._cut.works for spot in (work.source, work.target)}:
            self._places.require_present(root)
        try:
            for group in self._groups():
                self._carry_out(group)
            if self._plan.clean_sources and not self._stopped:
                self._clean()
        finally:
            self._journal.flush()
            self._disk.forget()
        outcomes = [work.outcome for work in self._cut.works if work.outcome]
        return Report(self._cut.refused + outcomes, self._stopped)

    def _groups(self) -> Iterator[list[Work]]:
        """Files before the folders they lie in, and inner folders before outer ones."""
        folders = [work for work in self._cut.works if self._is_folder(work)]
        chosen = set(folders)
        yield [work for work in self._cut.works if work not in chosen]
        folders.sort(key=_depth, reverse=True)
        for _, group in groupby(folders, key=_depth):
            yield list(group)

    def _is_folder(self, work: Work) -> bool:
        try:
            seen = self._disk.look(work.source)
        except (AppError, OSError):
            return False
        return seen is not None and stat.S_ISDIR(seen.st_mode)

    def _carry_out(self, works: Sequence[Work]) -> None:
        order = ordered([work.link() for work in works])
        for numbers in batches(order, BATCH):
            self._disk.forget()
            self._chooser.new_batch()
            chosen = self._choose(works, numbers, order)
            self._journal.intend([work.operation for work in chosen if work.operation])
            self._act(works, numbers, order)
            self._journal.flush()

    def _choose(self, works: Sequence[Work], numbers: list[int], order: Order) -> list[Work]:
        parked = {order.parking[number] for number in numbers if number in order.parking}
        self._chooser.leaving.update(works[number].source.path for number in parked)
        chosen = []
        for number in numbers:
            work = works[number]
            if work.outcome:
                continue
            try:
                self._chooser.choose(work)
            except (AppError, OSError, Skip) as error:
                self._refuse(work, error)
                continue
            if number in parked:
                _park(work)
            chosen.append(work)
        return chosen

    def _act(self, works: Sequence[Work], numbers: list[int], order: Order) -> None:
        for number in numbers:
            self._stopped = self._stopped or self._may_stop()
            work = works[number]
            if number in order.parking and not self._stops(work):
                self._waiting.add(order.parking[number])
                self._leave(works[order.parking[number]])
            if work.outcome is None:
                self._finish(work)
            self._waiting.discard(number)
            self._finished += 1
            self._tell(work, 0, 0)

    def _may_stop(self) -> bool:
        """Never while a file waits for the others of its ring: its name is taken already."""
        return not self._waiting and self._cancelled()

    def _stops(self, work: Work) -> bool:
        """What belongs to a video that has gone already goes too: nobody would look for it."""
        return self._stopped and not work.follows

    def _leave(self, work: Work) -> None:
        """Makes room for another file of the ring; the journal knows where it waits."""
        if work.outcome is None and work.route and work.route.parked:
            try:
                self._disk.rename(work.source, work.route.parked)
            except (AppError, OSError) as error:
                self._refuse(work, error)

    def _finish(self, work: Work) -> None:
        try:
            if self._stops(work):
                raise Skip(Problem("cancelled", {"path": work.source.name}))
            self._try(work)
        except (AppError, OSError, Skip) as error:
            self._refuse(work, error)
        else:
            work.finish()

    def _try(self, work: Work) -> None:
        for _ in range(MOST_TRIES):
            if work.main and not work.main.lets_follow:
                raise Skip(Problem("main_not_moved", {"path": work.main.source.name}))
            try:
                self._perform(work)
                return
            except AppError as error:
                if not self._has_other_way(work, error):
                    raise
        raise AppError(409, "already_exists", path=work.target.name)

    def _has_other_way(self, work: Work, error: AppError) -> bool:
        """Somebody took the name meanwhile, or two mounts of one disk looked like one."""
        route, operation = work.route, work.operation
        if route is None or operation is None or operation.is_folder:
            return False
        if error.code == "different_mount" and work.action == "move" and not route.temporary:
            work.route = route._replace(temporary=route.target.beside(temporary_name()))
            operation.temporary = work.route.temporary.path if work.route.temporary else None
        elif error.code == "already_exists" and not route.parked:
            self._chooser.leaving.discard(route.target.path)
            self._chooser.choose(work)
        else:
            return False
        if work.operation:
            self._journal.revise(work.operation)
        return True

    def _perform(self, work: Work) -> None:
        route, operation = work.route, work.operation
        if route is None or operation is None:
            return
        if route.parked and self._disk.look(route.parked) is None:
            self._disk.rename(route.source, route.parked)
        made = self._disk.make_folders(route.target.parent)
        operation.created_folders = made
        try:
            may_stop = (lambda: False) if work.follows else self._may_stop
            tell = Telling(partial(self._tell, work), may_stop)
            operation.digest = perform(self._disk, operation.action, route, tell)
        except BaseException:
            for path in reversed(made):
                self._disk.remove_empty(self._places.spot(path))
            raise
        operation.state = "done"
        if route.temporary or operation.action == "hardlink":
            self._know_again(work, route)
        self._journal.result(operation)

    def _know_again(self, work: Work, route: Route) -> None:
        """A copy is another file than its source, for the disk."""
        seen = self._disk.look(route.target)
        if seen and work.operation:
            found = identity(seen)
            work.operation.size, work.operation.mtime_ns, work.operation.inode = found

    def _refuse(self, work: Work, error: AppError | OSError | Skip) -> None:
        problem = problem_from(error, work.source.path)
        operation = work.operation
        if operation and operation.id:
            moved = bring_back(self._disk, self._places, operation)
            operation.state, operation.error = ("done" if moved else "failed"), problem
            if moved:
                problem = Problem("moved_elsewhere", {"path": moved.name})
            self._journal.result(operation)
        work.finish(problem, skipped=isinstance(error, Skip) and problem.code != "moved_elsewhere")

    def _tell(self, work: Work, done: int, total: int) -> None:
        if self._watch:
            files = len(self._cut.works) + len(self._cut.refused)
            self._watch(Progress(self._finished, files, work.source.path, done, total))

    def _clean(self) -> None:
        left = {
            work.source.parent for work in self._cut.works if work.is_done and work.action == "move"
        }
        keep = self._places.paths | self._plan.keep_folders
        cleaner = Cleaner(self._disk, self._journal, self._run, self._plan.job_id, keep)
        cleaner.clean(left)


def _depth(work: Work) -> int:
    return len(work.source.parts)


def _park(work: Work) -> None:
    if work.route and work.operation:
        parked = work.source.beside(temporary_name())
        work.route = work.route._replace(parked=parked)
        work.operation.parked = parked.path
