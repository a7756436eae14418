"""Changes by hand: another match, another target, in or out, approved."""

import asyncio
from collections.abc import Sequence

from msgspec import UNSET

from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.media.jobs import item_store, store
from quartet.media.jobs.analysis import Analysis, existing, take
from quartet.media.jobs.board import emit_status, save_items
from quartet.media.jobs.layout import Layout, Layouts
from quartet.media.jobs.matchers import Matchers
from quartet.media.jobs.renaming import Renaming
from quartet.media.jobs.rows import ItemRow, JobRow
from quartet.media.jobs.settling import mark_twins, settle
from quartet.media.jobs.types import ChosenMatch, ItemsChange, JobStatus
from quartet.media.roots.places import Places
from quartet.media.roots.service import Folders
from quartet.media.roots.texts import path_of

_RESTING: tuple[JobStatus, ...] = ("ready", "done", "failed", "cancelled", "undone")


class Editing:
    def __init__(
        self,
        db: Database,
        folders: Folders,
        layouts: Layouts,
        matchers: Matchers,
        analysis: Analysis,
        renaming: Renaming,
    ) -> None:
        self._db = db
        self._folders = folders
        self._layouts = layouts
        self._matchers = matchers
        self._analysis = analysis
        self._renaming = renaming

    async def change(self, job: JobRow, given: ItemsChange) -> list[ItemRow]:
        items = await self._items(job.id, given.item_ids)
        places, layout = await self._folders.places(), await self._layouts.of(job.config)
        keys = {item.target_key for item in items}
        if given.match is not UNSET:
            await self._choose(job, items, given.match, remember=given.remember)
        if given.target_path is not UNSET:
            _set_target(items, given.target_path, places)
        for item in items:
            item.excluded = item.excluded if given.excluded is UNSET else given.excluded
            item.approved = item.approved if given.approved is UNSET else given.approved
            if item.state in ("undone", "failed"):
                item.state = "matched"
        if given.match is not UNSET or given.target_path is not UNSET:
            items = await self._aim(job, items, layout, places)
        _refuse_outside(items, places)
        await self._settle(job, items, keys, layout, places)
        return items

    async def approve(self, job: JobRow, ids: Sequence[int]) -> int:
        """Gives how many of these items will be done now."""
        items = await self._items(job.id, ids)
        places, layout = await self._folders.places(), await self._layouts.of(job.config)
        for item in items:
            item.approved = True
        await self._settle(job, items, {item.target_key for item in items}, layout, places)

        def work(tx: Tx) -> int:
            count = item_store.choose(tx.conn, job.id, ids)
            # One that is at work looks for more itself.
            if count and store.turn(tx.conn, job.id, _RESTING, "queued"):
                job.status = "queued"
                emit_status(tx, job)
            return count

        return await self._db.write(work)

    async def _items(self, job_id: int, ids: Sequence[int]) -> list[ItemRow]:
        items = await self._db.read(item_store.by_ids, list(dict.fromkeys(ids)))
        mine = [item for item in items if item.job_id == job_id]
        if len(mine) != len(set(ids)):
            raise AppError(404, "item_not_found")
        if any(item.state == "done" for item in mine):
            raise AppError(409, "item_done")
        return mine

    async def _choose(
        self, job: JobRow, items: list[ItemRow], chosen: ChosenMatch, *, remember: bool
    ) -> None:
        options, language = job.config.matching
        matcher = self._matchers.speaking(language)
        learned = set()
        for item in items:
            if item.parsed is None:
                raise AppError(409, "nothing_to_match")
            match = await matcher.choose(
                item.parsed, chosen.kind, chosen.provider, chosen.id, options
            )
            take(item, match)
            title = item.parsed.title, item.parsed.year
            if remember and match.best and title not in learned:
                learned.add(title)
                await matcher.remember(item.parsed, match.best)

    async def _aim(
        self, job: JobRow, items: list[ItemRow], layout: Layout, places: Places
    ) -> list[ItemRow]:
        """Rules count over all items, so with rules all of them are gone through again."""
        if job.config.mode != "rules":
            await self._analysis.aim(items, layout, places)
        if job.config.mode == "media":
            return items
        await self._db.write(lambda tx: item_store.save(tx.conn, items))
        await self._renaming.run(job, layout, existing(places))
        return await self._db.read(item_store.by_ids, [item.id for item in items])

    async def _settle(
        self,
        job: JobRow,
        items: list[ItemRow],
        old_keys: set[str | None],
        layout: Layout,
        places: Places,
    ) -> None:
        """With all who share, or shared, a target with them."""
        keys = {key for key in old_keys | {item.target_key for item in items} if key}
        own = {item.id for item in items}
        shared = await self._db.read(item_store.twins, job.id, keys)
        others = [row for row in shared if row.id not in own and row.conflict == "duplicate"]
        everyone = [*items, *(row for row in shared if row.id not in own)]
        exists = existing(places)

        def work() -> None:
            for item in [*items, *others]:
                settle(item, layout, exists)
            mark_twins(everyone, layout)

        await asyncio.to_thread(work)
        await self._db.write(save_items, job.id, everyone)


def _set_target(items: list[ItemRow], given: str | None, places: Places) -> None:
    if len(items) != 1:
        raise AppError(400, "one_item")
    path = None if given is None else path_of(given)
    if path and ".." in path.split("/"):
        raise AppError(400, "path_invalid", path=given)
    if path and path.startswith("/"):
        places.spot(path)
    items[0].override_target = path


def _refuse_outside(items: list[ItemRow], places: Places) -> None:
    for item in items:
        if item.target and item.override_target:
            places.spot(item.target)
