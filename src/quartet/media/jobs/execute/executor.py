"""Executes the chosen items of a job through the moves engine."""

import asyncio
import logging
import os
from collections import defaultdict
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import cast

from quartet.kernel.batches import in_batches
from quartet.kernel.clock import now_ms
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError, Problem
from quartet.kernel.service import Kernel
from quartet.media.artwork.service import Artwork
from quartet.media.artwork.wanted_files import FiledVideo
from quartet.media.jobs import store, store_items
from quartet.media.jobs.execute.release_comparison import release_comparer
from quartet.media.jobs.preview.builder import KeptFolders
from quartet.media.jobs.preview.item_state import target_exists, update_state
from quartet.media.jobs.preview.target_layout import TargetLayout, TargetLayouts
from quartet.media.jobs.progress import (
    ProgressReporter,
    emit_job_changed,
    save_items,
    save_results,
)
from quartet.media.jobs.records import ItemRecord, JobRecord
from quartet.media.moves.disk import Disk
from quartet.media.moves.generated_names import split_tail
from quartet.media.moves.service import Moves
from quartet.media.moves.types import (
    Action,
    Cleaned,
    CompanionMove,
    IsCancelled,
    JunkKind,
    LeftFolder,
    MoveProgress,
    MoveReport,
    Outcome,
    Plan,
    Step,
)
from quartet.media.probe.service import Prober
from quartet.media.roots.folder_access import FolderAccess
from quartet.media.roots.path_encoding import decode_path
from quartet.media.roots.service import Folders
from quartet.media.settings import MediaSettings

log = logging.getLogger("quartet.media.jobs")

# Items are saved, and shown in the UI, after each batch.
_BATCH = 500
_MOST_LEFT = 20
# Jobs whose folders are releases.
_RELEASES = ("media", "both", "music")


class JobExecutor:
    def __init__(
        self,
        kernel: Kernel[MediaSettings],
        folders: Folders,
        layouts: TargetLayouts,
        moves: Moves,
        prober: Prober,
        progress: ProgressReporter,
        kept_folders: KeptFolders,
        artwork: Artwork,
    ) -> None:
        self._db = kernel.db
        self._junk_ms = kernel.settings.junk_ms
        self._folders = folders
        self._layouts = layouts
        self._moves = moves
        self._prober = prober
        self._progress = progress
        self._kept_folders = kept_folders
        self._artwork = artwork

    async def run(self, job: JobRecord, stop: IsCancelled) -> list[ItemRecord]:
        """Return the chosen items with their new states."""
        items = await self._db.read(store_items.chosen, job.id)
        job.status, job.done, job.total = "executing", 0, len(items)
        await self._db.write(_mark_executing, job)
        log.debug("job %d: executing %d items (%s)", job.id, len(items), job.config.action)
        access = await self._folders.access()
        if job.config.action == "test":
            await self._refresh_conflicts(job, items, access)
            return items
        await asyncio.to_thread(_recheck_sources, items, access)
        await self._save(job, [item for item in items if item.state != "ready"])
        same = [item for item in items if item.state == "ready"]
        for part in _split_into_parts(same):
            if stop():
                break
            await self._execute_part(job, part, access, stop)
            await self._save(job, part)
            job.done += len(part)
            self._progress.report(job, job.done, job.total)
        return items

    async def _refresh_conflicts(
        self, job: JobRecord, items: list[ItemRecord], access: FolderAccess
    ) -> None:
        """Test run: update the conflicts as of now."""
        layout = await self._layouts.of(job.config)
        exists = target_exists(access, frozenset(item.source for item in items))

        def work() -> None:
            for item in items:
                was = item.conflict
                update_state(item, layout, exists)
                item.conflict = "duplicate" if was == "duplicate" else item.conflict

        await asyncio.to_thread(work)
        for item in items:
            item.chosen = False
        if items:
            await self._db.write(save_items, job.id, items)

    async def _execute_part(
        self, job: JobRecord, items: list[ItemRecord], access: FolderAccess, stop: IsCancelled
    ) -> None:
        report_progress, before = self._progress.for_thread(job), job.done

        def watch(seen: MoveProgress) -> None:
            share = seen.files / max(seen.files_total, 1)
            report_progress(before + int(share * len(items)), job.total)

        # In a thread, because many files would block other requests.
        steps = await asyncio.to_thread(lambda: tuple(step_for(item, job) for item in items))
        layout = await self._layouts.of(job.config)
        plan = Plan(
            steps,
            job.id,
            clean_sources=job.config.action == "move",
            junk=_junk_kind(job, layout),
            keep_folders=await self._kept_folders() | _folders_above(job),
        )
        better = None
        if job.config.conflict_policy == "keep_better":
            better = release_comparer(access, self._prober, self._moves)
        report = await self._moves.execute(plan, better=better, watch=watch, cancelled=stop)
        _apply_report(items, report)
        until = now_ms() + self._junk_ms
        job.cleaned = await asyncio.to_thread(_with_cleaned, job, report.cleaned, until)
        await self._db.write(lambda tx: store.change(tx.conn, job.id, cleaned=job.cleaned))
        config = job.config
        await self._artwork.write(job.id, _filed_videos(items), config.order, config.language)
        if job.config.tagged == "music":
            tracks = [item.target for item in items if item.state == "done" and item.target]
            await self._artwork.write_covers(job.id, tracks, self._prober)

    async def _save(self, job: JobRecord, items: list[ItemRecord]) -> None:
        for item in items:
            item.chosen = False
        if items:
            await self._db.write(save_results, job.id, items)


def _filed_videos(items: Sequence[ItemRecord]) -> list[FiledVideo]:
    """Return videos that were moved and have a match; extras have no metadata of their own."""
    return [
        FiledVideo(item.id, item.target, item.match)
        for item in items
        if item.state == "done"
        and item.target
        and item.match
        and item.match.best
        and not item.is_folder
        and not (item.parsed and item.parsed.extra)
    ]


def _mark_executing(tx: Tx, job: JobRecord) -> None:
    store.change(tx.conn, job.id, status=job.status, done=0, total=job.total, error=None)
    emit_job_changed(tx, job)


def _recheck_sources(items: Sequence[ItemRecord], access: FolderAccess) -> None:
    """Take back "ready" from items whose file changed since the preview. Blocks."""
    disk = Disk()
    try:
        for item in items:
            _recheck_source(item, access, disk)
    finally:
        disk.forget()


def _recheck_source(item: ItemRecord, access: FolderAccess, disk: Disk) -> None:
    try:
        seen = disk.stat(access.resolve(item.source))
    except AppError as error:
        item.state, item.error = "failed", Problem(error.code, error.inputs)
        return
    if not item.is_folder and (seen.st_size, seen.st_mtime_ns) != (item.size, item.mtime_ns):
        # The file may still be growing. If approved again, it is moved as it is then.
        item.size, item.mtime_ns = seen.st_size, seen.st_mtime_ns
        item.state, item.approved = "needs_review", False
        item.reasons = [*item.reasons, "file_changed"]


def _folders_above(job: JobRecord) -> frozenset[str]:
    """Return the folders above what a download client reported, such as those of its categories.

    They belong to the client, which may not be able to write to a folder that others created.
    """
    if job.kind != "hook":
        return frozenset()
    paths = [PurePosixPath(decode_path(text)) for text in job.paths]
    return frozenset(str(folder) for path in paths for folder in path.parents)


def _split_into_parts(items: list[ItemRecord]) -> list[list[ItemRecord]]:
    """One part if a file takes another file's name, because then their order matters."""
    if {item.source for item in items} & {item.target for item in items}:
        return [items]
    return [*in_batches(items, _BATCH)]


def step_for(item: ItemRecord, job: JobRecord) -> Step:
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
            CompanionMove(decode_path(one.source), f"{folder}/{stem}{decode_path(one.tail)}")
            for one in item.companions
        ),
    )


def _junk_kind(job: JobRecord, layout: TargetLayout) -> JunkKind:
    if layout.junk == "keep":
        return "none"
    # In other jobs a folder such as `Screens` may be a user's own.
    return "release" if job.config.mode in _RELEASES else "system"


def _with_cleaned(job: JobRecord, cleaned: Cleaned, until: int) -> Cleaned:
    """Return what has happened to the source folders so far; junk is kept `until`. Blocks."""
    before = job.cleaned or Cleaned()
    left: dict[str, LeftFolder] = {}
    if job.config.mode in _RELEASES:
        left = {one.path: one for one in (*before.left, *cleaned.left)}
    # A folder that stayed before may be gone now.
    there = [one for one in left.values() if os.path.lexists(decode_path(one.path))]
    return Cleaned(
        before.removed + cleaned.removed,
        tuple(there[-_MOST_LEFT:]),
        until if cleaned.removed else before.until,
    )


def _apply_report(items: Sequence[ItemRecord], report: MoveReport) -> None:
    outcomes: dict[int | None, list[Outcome]] = defaultdict(list)
    for outcome in report.outcomes:
        outcomes[outcome.item_id].append(outcome)
    for item in items:
        for outcome in outcomes[item.id]:
            if outcome.role == "main":
                _apply_main_outcome(item, outcome)
        for outcome in outcomes[item.id]:
            # The video was moved, but not all of its companion files.
            if outcome.role == "companion" and outcome.state == "failed" and item.state == "done":
                item.error = outcome.problem


def _apply_main_outcome(item: ItemRecord, outcome: Outcome) -> None:
    if outcome.problem and outcome.problem.code == "cancelled":
        return
    item.state, item.error = outcome.state, outcome.problem
    if outcome.state == "done":
        item.target = outcome.target
