import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec

from quartet.kernel.clock import now_ms
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel
from quartet.media.history.service import History
from quartet.media.history.types import Undo, Undone
from quartet.media.ids import LARGEST_ID
from quartet.media.jobs import item_store, seen_store, store
from quartet.media.jobs.analysis import Analysis, KeptFolders
from quartet.media.jobs.board import Board, emit_status
from quartet.media.jobs.checking import Checking
from quartet.media.jobs.editing import Editing
from quartet.media.jobs.ending import Ending
from quartet.media.jobs.execution import Execution
from quartet.media.jobs.lanes import Lane
from quartet.media.jobs.layout import Layouts
from quartet.media.jobs.matchers import Matchers
from quartet.media.jobs.recovery import recover
from quartet.media.jobs.renaming import Renaming
from quartet.media.jobs.rows import Begin, JobRow
from quartet.media.jobs.types import (
    BUSY,
    ItemPage,
    ItemsChange,
    ItemState,
    Job,
    JobConfig,
    JobItem,
    JobKind,
    JobPage,
    JobRemoved,
    JobStatus,
    NewJob,
    NewPreview,
)
from quartet.media.moves.service import Moves
from quartet.media.naming.service import Formats
from quartet.media.options.service import OptionsService
from quartet.media.probe.service import Prober
from quartet.media.roots.service import Folders
from quartet.media.rules.service import RuleSets


class Jobs:
    """Everything people and programs may do with jobs."""

    def __init__(
        self,
        kernel: Kernel[Any],
        *,
        folders: Folders,
        formats: Formats,
        options: OptionsService,
        rule_sets: RuleSets,
        matchers: Matchers,
        prober: Prober,
        moves: Moves,
        history: History,
        kept_folders: KeptFolders,
    ) -> None:
        self._db = kernel.db
        self._folders = folders
        self._history = history
        self._board = board = Board(kernel.events)
        self.layouts = layouts = Layouts(folders, formats, options)
        renaming = Renaming(self._db, rule_sets)
        self._checking = Checking(formats, renaming)
        self._analysis = Analysis(
            self._db, folders, layouts, matchers, prober, renaming, board, kept_folders
        )
        self._execution = Execution(self._db, folders, layouts, moves, prober, board, kept_folders)
        self._editing = Editing(self._db, folders, layouts, matchers, self._analysis, renaming)
        self.ending = Ending(self._db, board)
        history.listeners.append(self.ending.undone)
        self.looking = Lane(self._db, "pending", self._analyse, self.ending)
        self.moving = Lane(self._db, "queued", self._execute, self.ending)
        self._stopping: set[int] = set()
        # A change by hand takes several steps; the next one waits.
        self._edits = asyncio.Lock()

    def recover(self) -> None:
        """At start, before anything runs."""
        recover(self._db)

    async def create(self, given: NewJob) -> Job:
        config = msgspec.convert(given, JobConfig, from_attributes=True)
        return await self.submit(JobRow(kind="manual", paths=given.paths, config=config))

    async def submit(self, job: JobRow) -> Job:
        """Checks a new job and puts it in the queue."""
        places = await self._folders.places()
        await self._checking.config(job.config, places)
        await self._checking.paths(job.paths, places)
        job.created_at = now_ms()

        def work(tx: Tx) -> None:
            job.id = store.add(tx.conn, job)
            emit_status(tx, job)

        await self._db.write(work)
        self.looking.wake()
        return await self.find(job.id)

    async def find(self, id: int) -> Job:
        job = await self._job(id)
        counts = await self._db.read(store.counts, [id])
        return self._board.overlay(job).shown(counts[id])

    async def page(
        self,
        before: int | None,
        statuses: Sequence[JobStatus],
        kind: JobKind | None,
        limit: int,
    ) -> JobPage:
        rows = await self._db.read(store.page, before, statuses, kind, limit + 1)
        more = rows[limit - 1].id if len(rows) > limit else None
        return JobPage(await self.shown(rows[:limit]), more)

    async def shown(self, rows: Sequence[JobRow]) -> list[Job]:
        counts = await self._db.read(store.counts, [row.id for row in rows])
        return [self._board.overlay(row).shown(counts[row.id]) for row in rows]

    async def items(
        self,
        id: int,
        states: Sequence[ItemState],
        text: str,
        after: int | None,
        limit: int,
    ) -> ItemPage:
        await self._job(id)
        found = await self._db.read(item_store.page, id, states, text, after, limit + 1)
        more = found[limit - 1].id if len(found) > limit else None
        return ItemPage(found[:limit], more)

    async def change_items(self, id: int, given: ItemsChange) -> list[JobItem]:
        async with self._edits:
            job = await self._idle(id)
            return [row.shown() for row in await self._editing.change(job, given)]

    async def approve(self, id: int, item_ids: Sequence[int]) -> int:
        """Gives how many of these items will be done now."""
        async with self._edits:
            job = await self._job(id)
            if job.status in ("pending", "scanning", "matching"):
                return 0
            count = await self._editing.approve(job, item_ids)
        self.moving.wake()
        return count

    async def reject(self, id: int, item_ids: list[int]) -> None:
        """They stay where they are, also while other items of the job are at work."""
        async with self._edits:
            job = await self._job(id)
            await self._editing.change(job, ItemsChange(item_ids=item_ids, excluded=True))
            if job.status not in BUSY:
                await self.ending.rest(job)

    async def preview(self, id: int, given: NewPreview) -> Job:
        async with self._edits:
            job = await self._idle(id)
            config = msgspec.convert(given, JobConfig, from_attributes=True)
            await self._checking.config(config, await self._folders.places())
            begin = _begin(job, config, rematch=given.rematch)

            def work(tx: Tx) -> None:
                store.change(
                    tx.conn, id, status="pending", config=config, begin=begin, error=None, done=0
                )
                emit_status(tx, JobRow(id=id, kind=job.kind, paths=[], config=config))

            await self._db.write(work)
        self.looking.wake()
        return await self.find(id)

    async def execute(self, id: int, item_ids: list[int] | None) -> Job:
        async with self._edits:
            job = await self._idle(id)

            def work(tx: Tx) -> None:
                if not item_store.choose(tx.conn, id, item_ids):
                    raise AppError(409, "nothing_ready")
                job.status = "queued"
                store.change(tx.conn, id, status="queued", error=None)
                emit_status(tx, job)

            await self._db.write(work)
        self.moving.wake()
        return await self.find(id)

    async def looks_again(self, id: int) -> bool:
        """Whether it is still looking for its files; then it does so once more."""
        # Before we ask: either it hears of this, or it was too late for that.
        again = self._analysis.again
        again.add(id)
        job = await self._job(id)
        if job.status == "scanning" or id not in again:
            return True
        again.discard(id)
        return False

    async def cancel(self, id: int) -> Job:
        """What waits is taken out of the queue; what runs is stopped at the next file."""
        job = await self._job(id)
        self._stopping.discard(id)

        def work(tx: Tx) -> bool:
            if store.turn(tx.conn, id, ["pending", "queued"], "cancelled"):
                item_store.unchoose(tx.conn, id)
                job.status = "cancelled"
                emit_status(tx, job)
                return True
            return False

        if not await self._db.write(work):
            found = await self.find(id)
            if found.status in BUSY:
                self._stopping.add(id)
        return await self.find(id)

    async def undo(self, id: int) -> Undone:
        await self._idle(id)
        return await self._history.undo(Undo(job_id=id))

    async def remove(self, id: int) -> None:
        async with self._edits:
            await self._idle(id)

            def work(tx: Tx) -> None:
                seen_store.remember(tx.conn, id)
                store.remove(tx.conn, id)
                tx.emit(JobRemoved(id))

            await self._db.write(work)

    async def forget_gone(self) -> None:
        """Of files that removed jobs had, those nobody can come across any more."""
        places = await self._folders.places()
        sources = {source for source, _, _ in await self._db.read(seen_store.every)}
        gone = await asyncio.to_thread(lambda: [*filter(places.surely_gone, sources)])
        await self._db.write(lambda tx: seen_store.forget(tx.conn, gone))

    async def _analyse(self, job: JobRow) -> None:
        try:
            await self._analysis.run(job, lambda: job.id in self._stopping)
            await self.ending.analysed(job)
        finally:
            self._stopping.discard(job.id)
        self.moving.wake()

    async def _execute(self, job: JobRow) -> None:
        try:
            items = await self._execution.run(job, lambda: job.id in self._stopping)
            await self.ending.executed(job, items, stopped=job.id in self._stopping)
        finally:
            self._stopping.discard(job.id)

    async def _job(self, id: int) -> JobRow:
        job = await self._db.read(store.find, id) if 0 < id <= LARGEST_ID else None
        if job is None:
            raise AppError(404, "job_not_found", id=str(id))
        return job

    async def _idle(self, id: int) -> JobRow:
        job = await self._job(id)
        if job.status in BUSY:
            raise AppError(409, "job_busy", id=id)
        return job


def _begin(job: JobRow, config: JobConfig, *, rematch: bool) -> Begin:
    """As late as possible, but never later than where it was broken off."""
    if job.begin == "scan" or job.config.finding != config.finding:
        return "scan"
    before, now = ((one.matching, one.sureness) for one in (job.config, config))
    if rematch or job.begin == "match" or before != now:
        return "match"
    return "render"
