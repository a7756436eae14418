"""Build the preview of a job: scan, match, set targets, update item states. Reads the disk only."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from quartet.kernel.db import Database, Tx
from quartet.kernel.service import Kernel
from quartet.media.jobs import store, store_items
from quartet.media.jobs.preview.item_state import (
    mark_duplicates,
    set_target,
    target_exists,
    update_state,
)
from quartet.media.jobs.preview.matchers import MatcherPool
from quartet.media.jobs.preview.rule_targets import RuleRenamer
from quartet.media.jobs.preview.scan import Scan
from quartet.media.jobs.preview.stable_files import wait_until_stable
from quartet.media.jobs.preview.target_layout import TargetLayout, TargetLayouts
from quartet.media.jobs.progress import (
    ProgressReporter,
    ThreadProgress,
    emit_job_changed,
    save_items,
)
from quartet.media.jobs.records import ItemRecord, JobRecord
from quartet.media.jobs.types import JobStatus
from quartet.media.match.types import Match
from quartet.media.moves import store as moves_store
from quartet.media.moves.types import IsCancelled
from quartet.media.options.service import OptionsService
from quartet.media.options.types import ExtrasPolicy
from quartet.media.probe.service import Prober
from quartet.media.probe.types import Probed
from quartet.media.roots.folder_access import FolderAccess
from quartet.media.roots.path_encoding import encode_path
from quartet.media.roots.service import Folders

if TYPE_CHECKING:
    from quartet.media.jobs.preview.tagged_targets import TaggedRenamer

log = logging.getLogger("quartet.media.jobs")

# Writers wait for at most one batch.
_BATCH = 250
_PROBES = 4

# Returns folders that must never be renamed or removed, such as watched ones.
KeptFolders = Callable[[], Awaitable[frozenset[str]]]


class JobCancelled(Exception):
    """The job was cancelled."""


class PreviewBuilder:
    def __init__(
        self,
        db: Database,
        folders: Folders,
        layouts: TargetLayouts,
        matchers: MatcherPool,
        prober: Prober,
        rule_renamer: RuleRenamer,
        tagged_renamer: "Callable[[], TaggedRenamer]",
        progress: ProgressReporter,
        kept_folders: KeptFolders,
    ) -> None:
        self._db = db
        self._folders = folders
        self._layouts = layouts
        self._matchers = matchers
        self._prober = prober
        self._rule_renamer = rule_renamer
        self._tagged_renamer = tagged_renamer
        self._progress = progress
        self._kept_folders = kept_folders
        # Jobs whose files must be scanned again because a new request arrived during their scan.
        # Removed when the new scan starts.
        self.rescan_requested: set[int] = set()

    async def run(self, job: JobRecord, stop: IsCancelled) -> bool:
        """Leave every item with a state, and return whether a catalog did not answer.

        The job's own status is set by `JobCompletion`.
        """
        access = await self._folders.access()
        if job.begin == "scan":
            self.rescan_requested.discard(job.id)
            await self._set_status(job, "scanning")
            if job.kind == "hook":
                await wait_until_stable(job, access, stop)
            await self._db.write(lambda tx: store_items.clear(tx.conn, job.id))
            await self._scan(job, access, stop)
        await self._set_status(job, "matching")
        while job.id in self.rescan_requested:
            # Keep the items found so far: a request in the meantime must still find them.
            self.rescan_requested.discard(job.id)
            await self._set_status(job, "scanning")
            await self._scan(job, access, stop)
            await self._set_status(job, "matching")
        layout = await self._layouts.of(job.config)
        catalog_failed = False
        if job.config.mode in ("media", "both"):
            catalog_failed = await self._match(job, layout, access, stop)
        await self.rename_all(job, layout, access)
        await self._db.write(_mark_duplicate_targets, job.id, layout)
        return catalog_failed

    async def rename_all(self, job: JobRecord, layout: TargetLayout, access: FolderAccess) -> None:
        """Set the targets that depend on all files of the job."""
        if job.config.tagged:
            await self._tagged_renamer().run(job, layout, target_exists(access))
        elif job.config.mode != "media":
            await self._rule_renamer.run(job, layout, target_exists(access))

    async def _scan(self, job: JobRecord, access: FolderAccess, stop: IsCancelled) -> None:
        report, kept = self._progress.for_thread(job), await self._kept_folders()
        extras = (await self._layouts.of(job.config)).extras
        await asyncio.to_thread(self._scan_in_thread, job, access, kept, extras, report, stop)
        if stop():
            raise JobCancelled

    def _scan_in_thread(
        self,
        job: JobRecord,
        access: FolderAccess,
        kept: frozenset[str],
        extras: ExtrasPolicy,
        report: ThreadProgress,
        stop: IsCancelled,
    ) -> None:
        """Scan in a thread, in batches: a job may have more files than fit in memory."""
        known = self._db.write_sync(lambda tx: store_items.sources(tx.conn, job.id))
        claimed_sources = self._db.write_sync(lambda tx: store_items.claimed_sources(tx.conn, job))
        scan = Scan(
            access, job.config, job.id, known | claimed_sources, stop, kept, extras, self._moved
        )
        found = scan.items(job.paths)
        job.total = len(known)
        while some := list(islice(found, _BATCH)):
            self._db.write_sync(lambda tx, some=some: store_items.add(tx.conn, some))  # type: ignore[misc]
            job.total += len(some)
            report(0, job.total)

    def _moved(self, sources: Sequence[str]) -> dict[str, str]:
        return self._db.write_sync(lambda tx: moves_store.targets_of(tx.conn, sources))

    async def _match(
        self, job: JobRecord, layout: TargetLayout, access: FolderAccess, stop: IsCancelled
    ) -> bool:
        done, catalog_failed = 0, False
        async for items in self._chunks(job.id):
            if stop():
                raise JobCancelled
            done += len(items)
            if job.begin == "retry":
                items = [item for item in items if _awaits_catalog(item)]
            if job.begin != "render":
                left = [item for item in items if item.state != "done"]
                await self._match_items(job, left, layout)
            await self.set_targets(items, layout, access)
            await self._db.write(save_items, job.id, items)
            catalog_failed = catalog_failed or any(_awaits_catalog(item) for item in items)
            self._progress.report(job, done, job.total)
        return catalog_failed

    async def _match_items(
        self, job: JobRecord, items: Sequence[ItemRecord], layout: TargetLayout
    ) -> None:
        """Match items against the catalogs. A match chosen by a user is kept."""
        pending = [one for one in items if not (one.match and "chosen" in one.match.reasons)]
        options, language = job.config.matching
        parsed = [item.parsed for item in pending if item.parsed]
        matches = await self._matchers.for_language(language).match(parsed, options)
        for item, match in zip((one for one in pending if one.parsed), matches, strict=True):
            apply_match(item, match.demoted_below(layout.suggest_threshold))
            _log_match(item)

    async def set_targets(
        self, items: Sequence[ItemRecord], layout: TargetLayout, access: FolderAccess
    ) -> None:
        """Set targets and states. Duplicate targets are marked by the caller."""
        probed = await self._probed([one for one in items if layout.wants_probe(one)])
        exists = target_exists(access)

        def work() -> None:
            for item in items:
                if item.state != "done":
                    set_target(item, layout, layout.rendered(item, probed.get(item.id)))
                    update_state(item, layout, exists)
                    log.debug(
                        "job %d item %d: target %s, %s",
                        item.job_id,
                        item.id,
                        encode_path(item.target) if item.target else "none",
                        item.state,
                    )

        await asyncio.to_thread(work)

    async def _probed(self, items: Sequence[ItemRecord]) -> dict[int, Probed]:
        slots = asyncio.Semaphore(_PROBES)

        async def one(item: ItemRecord) -> tuple[int, Probed | None]:
            async with slots:
                return item.id, await self._prober.probe(Path(item.source))

        found = await asyncio.gather(*(one(item) for item in items))
        return {id: facts for id, facts in found if facts}

    async def _chunks(self, job_id: int) -> AsyncIterator[list[ItemRecord]]:
        after = 0
        while items := await self._db.read(store_items.chunk, job_id, after, _BATCH):
            yield items
            after = items[-1].id

    async def _set_status(self, job: JobRecord, status: JobStatus) -> None:
        self._progress.forget(job.id)
        job.status, job.done = status, 0

        def work(tx: Tx) -> None:
            store.change(tx.conn, job.id, status=status, done=0, total=job.total)
            emit_job_changed(tx, job)

        await self._db.write(work)
        log.debug("job %d: %s", job.id, status)


def tagged_renamer(
    kernel: Kernel[Any], options: OptionsService, prober: Prober
) -> "Callable[[], TaggedRenamer]":
    @cache
    def build() -> "TaggedRenamer":
        # Imported here because only jobs for music and photos need it.
        from quartet.media.jobs.preview.tagged_targets import TaggedRenamer
        from quartet.media.tagged.service import Music

        demo = kernel.settings.demo or kernel.demo
        return TaggedRenamer(kernel.db, prober, Music(kernel, options, demo=demo))

    return build


def _awaits_catalog(item: ItemRecord) -> bool:
    failed = item.match is not None and "provider_failed" in item.match.reasons
    return failed and item.state == "needs_review"


def apply_match(item: ItemRecord, match: Match) -> None:
    """Store the match, without the long list of other titles that catalogs return."""
    others = tuple(
        msgspec.structs.replace(
            other, candidate=msgspec.structs.replace(other.candidate, other_titles=())
        )
        for other in match.alternatives
    )
    best = match.best and msgspec.structs.replace(match.best, other_titles=())
    item.match = msgspec.structs.replace(match, best=best, alternatives=others)
    item.confidence = match.confidence
    if item.state != "done":
        item.state = "matched"


def _log_match(item: ItemRecord) -> None:
    if not log.isEnabledFor(logging.DEBUG) or item.parsed is None or item.match is None:
        return
    parsed, best = item.parsed, item.match.best
    log.debug(
        "job %d item %d parsed: %s is %s %s",
        item.job_id,
        item.id,
        encode_path(item.name),
        parsed.kind.value,
        parsed.title or "without title",
    )
    log.debug(
        "job %d item %d matched: %s with confidence %.2f (%s)",
        item.job_id,
        item.id,
        f"{best.provider} {best.id}" if best else "nothing",
        item.confidence,
        ", ".join(item.match.reasons),
    )


def _mark_duplicate_targets(tx: Tx, job_id: int, layout: TargetLayout) -> None:
    sharing_target = store_items.sharing_target(
        tx.conn, job_id, store_items.duplicate_target_keys(tx.conn, job_id)
    )
    mark_duplicates(sharing_target, layout)
    store_items.save(tx.conn, sharing_target)
