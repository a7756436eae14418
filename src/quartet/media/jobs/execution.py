"""Carries out what was chosen, through the one room that touches files."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from typing import cast

from quartet.kernel.batches import in_batches
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError, Problem
from quartet.media.jobs import item_store, store
from quartet.media.jobs.analysis import KeptFolders, existing
from quartet.media.jobs.board import Board, emit_status, save_items
from quartet.media.jobs.comparing import comparing
from quartet.media.jobs.layout import Layouts
from quartet.media.jobs.rows import ItemRow, JobRow
from quartet.media.jobs.settling import settle
from quartet.media.moves.names import split_tail
from quartet.media.moves.service import Moves
from quartet.media.moves.types import (
    Action,
    Cancelled,
    Companion,
    Outcome,
    Plan,
    Progress,
    Report,
    Step,
)
from quartet.media.probe.service import Prober
from quartet.media.roots.places import Places
from quartet.media.roots.service import Folders
from quartet.media.roots.texts import path_of

# After so many items people see what became of them.
_AT_ONCE = 500


class Execution:
    def __init__(
        self,
        db: Database,
        folders: Folders,
        layouts: Layouts,
        moves: Moves,
        prober: Prober,
        board: Board,
        kept_folders: KeptFolders,
    ) -> None:
        self._db = db
        self._folders = folders
        self._layouts = layouts
        self._moves = moves
        self._prober = prober
        self._board = board
        self._kept_folders = kept_folders

    async def run(self, job: JobRow, stop: Cancelled) -> list[ItemRow]:
        """Gives the items it was about, as they are afterwards."""
        items = await self._db.read(item_store.chosen, job.id)
        job.status, job.done, job.total = "executing", 0, len(items)
        await self._db.write(_begin, job)
        places = await self._folders.places()
        if job.config.action == "test":
            await self._look(job, items, places)
            return items
        await asyncio.to_thread(_look_again, items, places)
        await self._save(job, [item for item in items if item.state != "ready"])
        same = [item for item in items if item.state == "ready"]
        for part in _parts(same):
            if stop():
                break
            await self._carry_out(job, part, places, stop)
            await self._save(job, part)
            job.done += len(part)
            self._board.tell(job, job.done, job.total)
        return items

    async def _look(self, job: JobRow, items: list[ItemRow], places: Places) -> None:
        """A test run: conflicts as they would be now."""
        layout = await self._layouts.of(job.config)
        exists = existing(places, frozenset(item.source for item in items))

        def work() -> None:
            for item in items:
                was = item.conflict
                settle(item, layout, exists)
                item.conflict = "duplicate" if was == "duplicate" else item.conflict

        await asyncio.to_thread(work)
        await self._save(job, items)

    async def _carry_out(
        self, job: JobRow, items: list[ItemRow], places: Places, stop: Cancelled
    ) -> None:
        teller, before = self._board.teller(job), job.done

        def watch(seen: Progress) -> None:
            share = seen.files / max(seen.files_total, 1)
            teller(before + int(share * len(items)), job.total)

        plan = Plan(
            tuple(step_of(item, job) for item in items),
            job.id,
            clean_sources=job.config.action == "move",
            keep_folders=await self._kept_folders(),
        )
        better = None
        if job.config.conflict_policy == "keep_better":
            better = comparing(places, self._prober, self._moves)
        report = await self._moves.execute(plan, better=better, watch=watch, cancelled=stop)
        _take(items, report)

    async def _save(self, job: JobRow, items: list[ItemRow]) -> None:
        for item in items:
            item.chosen = False
        if items:
            await self._db.write(save_items, job.id, items)


def _begin(tx: Tx, job: JobRow) -> None:
    store.change(tx.conn, job.id, status=job.status, done=0, total=job.total, error=None)
    emit_status(tx, job)


def _look_again(items: Sequence[ItemRow], places: Places) -> None:
    """What is no longer what was looked at is not ready; blocks."""
    for item in items:
        try:
            spot = places.spot(item.source)
            seen = spot.root.stat(spot.parts)
        except AppError as error:
            item.state, item.error = "failed", Problem(error.code, error.inputs)
            continue
        if not item.is_folder and (seen.st_size, seen.st_mtime_ns) != (item.size, item.mtime_ns):
            # It may still be growing; once approved it goes as it is then.
            item.size, item.mtime_ns = seen.st_size, seen.st_mtime_ns
            item.state, item.approved = "needs_review", False
            item.reasons = [*item.reasons, "file_changed"]


def _parts(items: list[ItemRow]) -> list[list[ItemRow]]:
    """All at once where one file takes the name of another: their order matters."""
    if {item.source for item in items} & {item.target for item in items}:
        return [items]
    return [*in_batches(items, _AT_ONCE)]


def step_of(item: ItemRow, job: JobRow) -> Step:
    target = item.target or ""
    folder, _, name = target.rpartition("/")
    stem = split_tail(name)[0]
    return Step(
        item.source,
        target,
        item.id,
        cast(Action, job.config.action),
        job.config.conflict_policy,
        tuple(
            Companion(path_of(one.source), f"{folder}/{stem}{path_of(one.tail)}")
            for one in item.companions
        ),
    )


def _take(items: Sequence[ItemRow], report: Report) -> None:
    outcomes: dict[int | None, list[Outcome]] = defaultdict(list)
    for outcome in report.outcomes:
        outcomes[outcome.item_id].append(outcome)
    for item in items:
        for outcome in outcomes[item.id]:
            if outcome.role == "main":
                _take_main(item, outcome)
        for outcome in outcomes[item.id]:
            # The video is there, but not all that belongs to it.
            if outcome.role == "companion" and outcome.state == "failed" and item.state == "done":
                item.error = outcome.problem


def _take_main(item: ItemRow, outcome: Outcome) -> None:
    if outcome.problem and outcome.problem.code == "cancelled":
        return
    item.state, item.error = outcome.state, outcome.problem
    if outcome.state == "done":
        item.target = outcome.target
