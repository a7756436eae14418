"""What is to be done with one file, as the disk is now. Reads the disk and changes nothing."""

import os
import stat
from collections.abc import Iterable

from quartet.kernel.clock import now_ms
from quartet.kernel.errors import AppError, Problem
from quartet.media.moves.acts import Route
from quartet.media.moves.disk import Disk, identity
from quartet.media.moves.faults import Skip
from quartet.media.moves.names import (
    MOST_NUMBERS,
    backup_name,
    numbered,
    sameness,
    split_tail,
    temporary_name,
)
from quartet.media.moves.types import Better, Operation
from quartet.media.moves.work import Work
from quartet.media.roots.places import Spot


class Chooser:
    def __init__(
        self, disk: Disk, works: Iterable[Work], better: Better | None, run: str, job_id: int | None
    ) -> None:
        self._disk = disk
        self._better = better
        self._run = run
        self._job_id = job_id
        works = list(works)
        self._by_source = {work.source.path: work for work in works}
        self._claimed = {sameness(work.target.path) for work in works}
        self._numbers: dict[str, int] = {}
        # Names that will be free by the time it is their turn, and folders that will exist.
        self.leaving: set[str] = set()
        self._planned: set[str] = set()

    def new_batch(self) -> None:
        self.leaving.clear()
        self._planned.clear()

    def choose(self, work: Work) -> None:
        """Gives the file its route and its row of the journal, or refuses."""
        seen = self._source(work)
        target = self._follow(work) if work.main else work.target
        if target == work.source:
            raise Skip(Problem("same_path", {"path": target.name}))
        route = self._route(work, target, seen)
        if work.action == "move":
            self.leaving.add(work.source.path)
        work.route = route
        work.operation = self._operation(work, route, seen)

    def _source(self, work: Work) -> os.stat_result:
        seen = self._disk.look(work.source)
        if seen is None:
            raise AppError(404, "not_found", path=work.source.name)
        if stat.S_ISDIR(seen.st_mode):
            if work.action != "move":
                raise AppError(409, "is_a_folder", path=work.source.name)
            if work.target.path.startswith(work.source.path + "/"):
                raise AppError(400, "move_into_itself", path=work.source.name)
        elif not stat.S_ISREG(seen.st_mode):
            raise AppError(400, "not_a_file", path=work.source.name)
        return seen

    def _follow(self, work: Work) -> Spot:
        """A companion goes only if its video does, and under the name that got."""
        main = work.main
        if main is None:
            return work.target
        if main.outcome is None and main.operation is None:
            return work.target  # its turn is later, because something waits for the companion
        if not main.lets_follow:
            raise Skip(Problem("main_not_moved", {"path": main.source.name}))
        stem = split_tail(main.target.name)[0]
        if not main.counted or not work.target.name.startswith(stem):
            return work.target
        new_stem = split_tail(numbered(main.target.name, main.counted))[0]
        return work.target.beside(new_stem + work.target.name[len(stem) :])

    def _route(self, work: Work, target: Spot, seen: os.stat_result) -> Route:
        there = None if target.path in self.leaving else self._disk.look(target)
        parked: Spot | None = None
        if there and os.path.samestat(there, seen):
            if sameness(target.path) != sameness(work.source.path) or there.st_nlink > 1:
                raise Skip(Problem("same_file", {"path": target.name}))
            # One name in two spellings, on a disk that does not tell them apart.
            parked, there = work.source.beside(temporary_name()), None
        backup: Spot | None = None
        if there or (work.is_twin and target == work.target):
            target, backup = self._settle(work, target, there)
        return Route(work.source, target, backup, parked, self._temporary(work, target, seen))

    def _settle(
        self, work: Work, target: Spot, there: os.stat_result | None
    ) -> tuple[Spot, Spot | None]:
        """Where it goes although the name is taken, and where the one that has it goes."""
        if work.policy == "suffix":
            return self._count_up(work, target), None
        self._refuse_replacing(work, target, there)
        at = now_ms()
        while self._disk.look(backup := target.beside(backup_name(target.name, at))):
            at += 1
        return target, backup

    def _refuse_replacing(self, work: Work, target: Spot, there: os.stat_result | None) -> None:
        policy = work.policy
        if policy == "skip":
            raise Skip(Problem("already_exists", {"path": target.name}))
        if there is None or not stat.S_ISREG(there.st_mode):
            raise AppError(409, "already_exists", path=target.name)
        holder = self._by_source.get(target.path)
        if holder and holder is not work and not holder.is_done:
            raise AppError(409, "target_in_use", path=target.name)
        if policy == "keep_better":
            better = self._better(work.source.path, target.path) if self._better else None
            if not better:
                raise Skip(Problem("not_better", {"path": target.name}))

    def _count_up(self, work: Work, target: Spot) -> Spot:
        first = self._numbers.get(target.path, 0) + 1
        for number in range(first, MOST_NUMBERS + 1):
            free = target.beside(numbered(target.name, number))
            if sameness(free.path) not in self._claimed and not self._disk.look(free):
                self._numbers[target.path] = number
                self._claimed.add(sameness(free.path))
                work.counted = number
                return free
        raise AppError(409, "already_exists", path=target.name)

    def _temporary(self, work: Work, target: Spot, seen: os.stat_result) -> Spot | None:
        if work.action == "hardlink":
            return None
        if work.action == "move" and self._disk.device(target.parent) == seen.st_dev:
            return None
        if stat.S_ISDIR(seen.st_mode):
            raise AppError(409, "different_mount", path=target.name)
        return target.beside(temporary_name())

    def _operation(self, work: Work, route: Route, seen: os.stat_result) -> Operation:
        size, mtime_ns, inode = identity(seen)
        missing = [spot.path for spot in self._disk.missing(route.target.parent)]
        folders = [path for path in missing if path not in self._planned]
        self._planned.update(folders)
        return Operation(
            id=work.operation.id if work.operation else 0,
            run=self._run,
            job_id=self._job_id,
            item_id=work.step.item_id,
            role=work.role,
            action=work.action,
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
