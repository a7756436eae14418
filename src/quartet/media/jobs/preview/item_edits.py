"""Manual changes to items: another match, other numbers, another target, excluded or approved."""

import asyncio
from collections.abc import Sequence

from msgspec import UNSET

from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.media.jobs import store, store_items
from quartet.media.jobs.preview.builder import PreviewBuilder, apply_match
from quartet.media.jobs.preview.item_state import mark_duplicates, target_exists, update_state
from quartet.media.jobs.preview.matchers import MatcherPool
from quartet.media.jobs.preview.number_corrections import correct_numbers
from quartet.media.jobs.preview.target_layout import TargetLayout, TargetLayouts
from quartet.media.jobs.progress import emit_job_changed, save_items
from quartet.media.jobs.records import ItemRecord, JobRecord
from quartet.media.jobs.types import ChosenMatch, ItemsChange, JobStatus, NewNumbers
from quartet.media.match.search_groups import kind_of
from quartet.media.names.types import Parsed
from quartet.media.roots.folder_access import FolderAccess
from quartet.media.roots.path_encoding import decode_path
from quartet.media.roots.service import Folders

_IDLE: tuple[JobStatus, ...] = ("ready", "done", "failed", "cancelled", "undone")


class ItemEditor:
    def __init__(
        self,
        db: Database,
        folders: Folders,
        layouts: TargetLayouts,
        matchers: MatcherPool,
        preview: PreviewBuilder,
    ) -> None:
        self._db = db
        self._folders = folders
        self._layouts = layouts
        self._matchers = matchers
        self._preview = preview

    async def change(self, job: JobRecord, given: ItemsChange) -> list[ItemRecord]:
        items = await self._items(job.id, given.item_ids)
        access, layout = await self._folders.access(), await self._layouts.of(job.config)
        keys = {item.target_key for item in items}
        if given.numbers is not UNSET:
            _set_numbers(items, given.numbers)
        if given.match is not UNSET:
            await self._choose(job, items, given.match, remember=given.remember)
        elif given.numbers is not UNSET:
            await self._match_again(job, items)
        if given.target_path is not UNSET:
            _set_override(items, given.target_path, access)
        for item in items:
            item.excluded = item.excluded if given.excluded is UNSET else given.excluded
            item.approved = item.approved if given.approved is UNSET else given.approved
            if item.state in ("undone", "failed"):
                item.state = "matched"
        changed = (given.match, given.numbers, given.target_path)
        if any(one is not UNSET for one in changed):
            items = await self._retarget(job, items, layout, access)
        _require_targets_inside(items, access)
        await self._update_states(job, items, keys, layout, access)
        return items

    async def approve(self, job: JobRecord, ids: Sequence[int]) -> int:
        """Return how many of the items will be executed."""
        items = await self._items(job.id, ids)
        access, layout = await self._folders.access(), await self._layouts.of(job.config)
        for item in items:
            item.approved = True
        await self._update_states(job, items, {item.target_key for item in items}, layout, access)

        def work(tx: Tx) -> int:
            count = store_items.mark_chosen(tx.conn, job.id, ids)
            # A running job picks up newly chosen items when it finishes.
            if count and store.change_status(tx.conn, job.id, _IDLE, "queued"):
                job.status, job.done = "queued", 0
                store.change(tx.conn, job.id, done=0)
                emit_job_changed(tx, job)
            return count

        return await self._db.write(work)

    async def _items(self, job_id: int, ids: Sequence[int]) -> list[ItemRecord]:
        """Return the items in the order of their ids in the request."""
        items = await self._db.read(store_items.by_ids, list(dict.fromkeys(ids)))
        order = {id: index for index, id in enumerate(ids)}
        mine = sorted((one for one in items if one.job_id == job_id), key=lambda one: order[one.id])
        if len(mine) != len(order):
            raise AppError(404, "item_not_found")
        if any(item.state == "done" for item in mine):
            raise AppError(409, "item_done")
        return mine

    async def _choose(
        self, job: JobRecord, items: list[ItemRecord], chosen: ChosenMatch, *, remember: bool
    ) -> None:
        options, language = job.config.matching
        matcher = self._matchers.for_language(language)
        names = _parsed(items)
        matches = await matcher.choose(names, chosen.kind, chosen.provider, chosen.id, options)
        learned = set()
        for item, parsed, match in zip(items, names, matches, strict=True):
            apply_match(item, match)
            title = parsed.title, parsed.year
            if remember and match.best and title not in learned:
                learned.add(title)
                await matcher.remember(parsed, match.best)

    async def _match_again(self, job: JobRecord, items: list[ItemRecord]) -> None:
        """Find the episodes again. Items without an entry of their kind are searched by title."""
        options, language = job.config.matching
        entries: dict[ChosenMatch | None, list[ItemRecord]] = {}
        for item, parsed in zip(items, _parsed(items), strict=True):
            best = item.match and item.match.best
            is_kept = best and best.kind == kind_of(parsed)
            entry = ChosenMatch(best.provider, best.id, best.kind) if best and is_kept else None
            entries.setdefault(entry, []).append(item)
        for entry, some in entries.items():
            if entry:
                await self._choose(job, some, entry, remember=False)
                continue
            matches = await self._matchers.for_language(language).match(_parsed(some), options)
            for item, match in zip(some, matches, strict=True):
                apply_match(item, match)

    async def _retarget(
        self, job: JobRecord, items: list[ItemRecord], layout: TargetLayout, access: FolderAccess
    ) -> list[ItemRecord]:
        """Recompute targets. Rules may number files, so with rules all items are recomputed."""
        if job.config.mode in ("media", "both"):
            await self._preview.set_targets(items, layout, access)
        if job.config.mode == "media":
            return items
        await self._db.write(lambda tx: store_items.save(tx.conn, items))
        await self._preview.rename_all(job, layout, access)
        return await self._db.read(store_items.by_ids, [item.id for item in items])

    async def _update_states(
        self,
        job: JobRecord,
        items: list[ItemRecord],
        old_keys: set[str | None],
        layout: TargetLayout,
        access: FolderAccess,
    ) -> None:
        """Update the items and all others that share, or shared, a target with them."""
        keys = {key for key in old_keys | {item.target_key for item in items} if key}
        own = {item.id for item in items}
        shared = await self._db.read(store_items.sharing_target, job.id, keys)
        others = [row for row in shared if row.id not in own and row.conflict == "duplicate"]
        everyone = [*items, *(row for row in shared if row.id not in own)]
        exists = target_exists(access)

        def work() -> None:
            for item in [*items, *others]:
                update_state(item, layout, exists)
            mark_duplicates(everyone, layout)

        await asyncio.to_thread(work)
        await self._db.write(save_items, job.id, everyone)


def _parsed(items: Sequence[ItemRecord]) -> list[Parsed]:
    names = [item.parsed for item in items if item.parsed]
    if len(names) != len(items):
        raise AppError(409, "nothing_to_match")
    return names


def _set_numbers(items: Sequence[ItemRecord], numbers: NewNumbers) -> None:
    for item, parsed in zip(items, correct_numbers(_parsed(items), numbers), strict=True):
        item.parsed = parsed


def _set_override(items: list[ItemRecord], given: str | None, access: FolderAccess) -> None:
    if len(items) != 1:
        raise AppError(400, "one_item")
    path = None if given is None else decode_path(given)
    if path and ".." in path.split("/"):
        raise AppError(400, "path_invalid", path=given)
    if path and path.startswith("/"):
        access.resolve(path)
    items[0].override_target = path


def _require_targets_inside(items: list[ItemRecord], access: FolderAccess) -> None:
    for item in items:
        if item.target and item.override_target:
            access.resolve(item.target)
