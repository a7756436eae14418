import asyncio
import logging
from collections.abc import Sequence
from typing import Any

import msgspec

from quartet.kernel.clock import now_ms
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel
from quartet.media.artwork.service import Artwork
from quartet.media.history.service import History
from quartet.media.history.types import Undo, Undone
from quartet.media.jobs import store, store_item_counts, store_items, store_seen_files
from quartet.media.jobs.execute.completion import JobCompletion
from quartet.media.jobs.execute.executor import JobExecutor
from quartet.media.jobs.execute.recovery import recover
from quartet.media.jobs.job_queues import JobQueue
from quartet.media.jobs.preview.builder import KeptFolders, PreviewBuilder, tagged_renamer
from quartet.media.jobs.preview.item_edits import ItemEditor
from quartet.media.jobs.preview.matchers import MatcherPool
from quartet.media.jobs.preview.rule_targets import RuleRenamer
from quartet.media.jobs.preview.target_layout import TargetLayouts
from quartet.media.jobs.progress import ProgressReporter, emit_job_changed
from quartet.media.jobs.records import Begin, JobRecord
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
from quartet.media.jobs.validation import JobValidator
from quartet.media.moves.service import Moves
from quartet.media.naming.service import Formats
from quartet.media.options.service import OptionsService
from quartet.media.probe.service import Prober
from quartet.media.roots.service import Folders
from quartet.media.rules.service import RuleSets
from quartet.media.types import LARGEST_ID

log = logging.getLogger("quartet.media.jobs")


class Jobs:
    """All operations on jobs."""

    def __init__(
        self,
        kernel: Kernel[Any],
        *,
        folders: Folders,
        formats: Formats,
        options: OptionsService,
        rule_sets: RuleSets,
        matchers: MatcherPool,
        prober: Prober,
        moves: Moves,
        history: History,
        kept_folders: KeptFolders,
        artwork: Artwork,
    ) -> None:
        self._db = kernel.db
        self._folders = folders
        self._history = history
        self._progress = progress = ProgressReporter(kernel.events)
        self.layouts = layouts = TargetLayouts(folders, formats, options)
        rule_renamer = RuleRenamer(self._db, rule_sets)
        self._validator = JobValidator(formats, rule_renamer)
        self._preview = PreviewBuilder(
            self._db,
            folders,
            layouts,
            matchers,
            prober,
            rule_renamer,
            tagged_renamer(kernel, options, prober),
            progress,
            kept_folders,
        )
        self._executor = JobExecutor(
            kernel, folders, layouts, moves, prober, progress, kept_folders, artwork
        )
        self._editor = ItemEditor(self._db, folders, layouts, matchers, self._preview)
        self.completion = JobCompletion(self._db, progress)
        history.listeners.append(self.completion.items_undone)
        history.find_titles = store_items.titles
        self.preview_queue = JobQueue(self._db, "pending", self._build_preview, self.completion)
        self.execute_queue = JobQueue(self._db, "queued", self._execute, self.completion)
        self._stopping: set[int] = set()
        # A manual change takes several steps, so changes run one at a time.
        self._edits = asyncio.Lock()

    @property
    def running(self) -> int:
        return self._progress.running

    def recover(self) -> None:
        """Restore interrupted jobs. Called at startup, before any loop runs."""
        recover(self._db)

    async def create(self, given: NewJob) -> Job:
        config = msgspec.convert(given, JobConfig, from_attributes=True)
        return await self.submit(JobRecord(kind="manual", paths=given.paths, config=config))

    async def submit(self, job: JobRecord) -> Job:
        """Validate a new job and queue its preview."""
        access = await self._folders.access()
        await self._validator.check_config(job.config, access)
        await self._validator.check_paths(job.paths, access)
        job.created_at = now_ms()

        def work(tx: Tx) -> None:
            job.id = store.add(tx.conn, job)
            emit_job_changed(tx, job)

        await self._db.write(work)
        log.info(
            "job %d created: %s, %d paths, %s", job.id, job.kind, len(job.paths), job.config.action
        )
        self.preview_queue.wake()
        return await self.find(job.id)

    async def find(self, id: int) -> Job:
        job = await self._job(id)
        counts = await self._db.read(store_item_counts.of_jobs, [id])
        return self._progress.with_live_progress(job).to_api(counts[id])

    async def page(
        self,
        before: int | None,
        statuses: Sequence[JobStatus],
        kind: JobKind | None,
        limit: int,
    ) -> JobPage:
        rows = await self._db.read(store.page, before, statuses, kind, limit + 1)
        more = rows[limit - 1].id if len(rows) > limit else None
        return JobPage(await self.to_api(rows[:limit]), more)

    async def to_api(self, rows: Sequence[JobRecord]) -> list[Job]:
        counts = await self._db.read(store_item_counts.of_jobs, [row.id for row in rows])
        return [self._progress.with_live_progress(row).to_api(counts[row.id]) for row in rows]

    async def items(
        self,
        id: int,
        states: Sequence[ItemState],
        text: str,
        after: int | None,
        limit: int,
    ) -> ItemPage:
        await self._job(id)
        found = await self._db.read(store_items.page, id, states, text, after, limit + 1)
        more = found[limit - 1].id if len(found) > limit else None
        return ItemPage(found[:limit], more)

    async def change_items(self, id: int, given: ItemsChange) -> list[JobItem]:
        async with self._edits:
            job = await self._idle_job(id)
            return [row.to_api() for row in await self._editor.change(job, given)]

    async def approve(self, id: int, item_ids: Sequence[int]) -> int:
        """Return how many of the items will be executed."""
        async with self._edits:
            job = await self._job(id)
            if job.status in ("pending", "scanning", "matching"):
                return 0
            count = await self._editor.approve(job, item_ids)
        self.execute_queue.wake()
        return count

    async def reject(self, id: int, item_ids: list[int]) -> None:
        """Exclude items, also while other items of the job are being executed."""
        async with self._edits:
            job = await self._job(id)
            await self._editor.change(job, ItemsChange(item_ids=item_ids, excluded=True))
            if job.status not in BUSY:
                await self.completion.set_resting_status(job)

    async def preview(self, id: int, given: NewPreview) -> Job:
        async with self._edits:
            job = await self._idle_job(id)
            config = msgspec.convert(given, JobConfig, from_attributes=True)
            await self._validator.check_config(config, await self._folders.access())
            begin = _first_stage(job, config, rematch=given.rematch)

            def work(tx: Tx) -> None:
                store.change(
                    tx.conn, id, status="pending", config=config, begin=begin, error=None, done=0
                )
                emit_job_changed(tx, JobRecord(id=id, kind=job.kind, paths=[], config=config))

            await self._db.write(work)
        log.debug("job %d: preview requested, beginning with %s", id, begin)
        self.preview_queue.wake()
        return await self.find(id)

    async def execute(self, id: int, item_ids: list[int] | None) -> Job:
        async with self._edits:
            job = await self._idle_job(id)

            def work(tx: Tx) -> None:
                if not store_items.mark_chosen(tx.conn, id, item_ids):
                    raise AppError(409, "nothing_ready")
                job.status, job.done = "queued", 0
                store.change(tx.conn, id, status="queued", error=None, done=0)
                emit_job_changed(tx, job)

            await self._db.write(work)
        log.debug("job %d: execution requested", id)
        self.execute_queue.wake()
        return await self.find(id)

    async def request_rescan(self, id: int) -> bool:
        """Request another scan; return False if the job has finished scanning."""
        # Set the flag before reading the status, so a running scan either sees it or has already
        # finished.
        rescan_requested = self._preview.rescan_requested
        rescan_requested.add(id)
        job = await self._job(id)
        if job.status == "scanning" or id not in rescan_requested:
            return True
        rescan_requested.discard(id)
        return False

    async def cancel(self, id: int) -> Job:
        """Cancel a queued job at once, or a running one before its next file."""
        job = await self._job(id)
        self._stopping.discard(id)

        def work(tx: Tx) -> bool:
            if store.change_status(tx.conn, id, ["pending", "queued"], "cancelled"):
                store_items.clear_chosen(tx.conn, id)
                job.status = "cancelled"
                emit_job_changed(tx, job)
                return True
            return False

        if not await self._db.write(work):
            found = await self.find(id)
            if found.status in BUSY:
                self._stopping.add(id)
                log.debug("job %d: asked to stop", id)
        else:
            log.info("job %d cancelled", id)
        return await self.find(id)

    async def undo(self, id: int) -> Undone:
        await self._idle_job(id)
        return await self._history.undo(Undo(job_id=id))

    async def remove(self, id: int) -> None:
        async with self._edits:
            await self._idle_job(id)

            def work(tx: Tx) -> None:
                store_seen_files.remember(tx.conn, id)
                store.remove(tx.conn, id)
                tx.emit(JobRemoved(id))

            await self._db.write(work)
        log.info("job %d removed", id)

    async def forget_missing_files(self) -> None:
        """Forget files of removed jobs that no longer exist."""
        access = await self._folders.access()
        sources = {source for source, _, _ in await self._db.read(store_seen_files.every)}
        gone = await asyncio.to_thread(lambda: [*filter(access.is_gone, sources)])
        await self._db.write(lambda tx: store_seen_files.forget(tx.conn, gone))

    async def _build_preview(self, job: JobRecord) -> None:
        try:
            catalog_failed = await self._preview.run(job, lambda: job.id in self._stopping)
            await self.completion.preview_finished(job, catalog_failed=catalog_failed)
        finally:
            self._stopping.discard(job.id)
        self.execute_queue.wake()

    async def _execute(self, job: JobRecord) -> None:
        try:
            items = await self._executor.run(job, lambda: job.id in self._stopping)
            await self.completion.execution_finished(job, items, stopped=job.id in self._stopping)
        finally:
            self._stopping.discard(job.id)

    async def _job(self, id: int) -> JobRecord:
        job = await self._db.read(store.find, id) if 0 < id <= LARGEST_ID else None
        if job is None:
            raise AppError(404, "job_not_found", id=str(id))
        return job

    async def _idle_job(self, id: int) -> JobRecord:
        job = await self._job(id)
        if job.status in BUSY:
            raise AppError(409, "job_busy", id=id)
        return job


def _first_stage(job: JobRecord, config: JobConfig, *, rematch: bool) -> Begin:
    """Return the latest stage that the changes allow, but not later than an unfinished one."""
    if job.begin == "scan" or job.config.finding != config.finding:
        return "scan"
    before, now = ((one.matching, one.confidence_settings) for one in (job.config, config))
    if rematch or job.begin == "match" or before != now:
        return "match"
    return "render"
