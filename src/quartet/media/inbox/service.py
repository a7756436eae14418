from collections import defaultdict
from typing import Any

from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel
from quartet.media.inbox.types import (
    Approval,
    Approved,
    InboxEntry,
    InboxPage,
    Rejected,
    Rejection,
)
from quartet.media.jobs import store_item_counts, store_items
from quartet.media.jobs.service import Jobs


class Inbox:
    """Items of automatic jobs that need review; has no separate table."""

    def __init__(self, kernel: Kernel[Any], jobs: Jobs) -> None:
        self._db = kernel.db
        self._jobs = jobs

    async def page(self, before: int | None, limit: int) -> InboxPage:
        rows = await self._db.read(store_items.inbox_page, before, limit + 1)
        total = await self._db.read(store_item_counts.in_inbox)
        entries = [
            InboxEntry(item.to_api(), about.job_kind, about.watch_folder_id, about.job_created_at)
            for item, about in rows[:limit]
        ]
        return InboxPage(entries, entries[-1].item.id if len(rows) > limit else None, total)

    async def approve(self, given: Approval) -> Approved:
        if given.item_ids is None and given.min_confidence is None:
            raise AppError(400, "nothing_chosen")
        found = await self._grouped(given.item_ids, given.min_confidence)
        wanted = sum(len(ids) for ids in found.values())
        approved = 0
        for job_id, ids in found.items():
            approved += await self._jobs.approve(job_id, ids)
        return Approved(approved, wanted - approved)

    async def reject(self, given: Rejection) -> Rejected:
        found = await self._grouped(given.item_ids, None)
        for job_id, ids in found.items():
            await self._jobs.reject(job_id, ids)
        return Rejected(sum(len(ids) for ids in found.values()))

    async def _grouped(
        self, ids: list[int] | None, min_confidence: float | None
    ) -> dict[int, list[int]]:
        """Group the items by job."""
        found: dict[int, list[int]] = defaultdict(list)
        waiting = await self._db.read(store_items.inbox_ids, ids, min_confidence)
        for row in await self._db.read(store_items.by_ids, waiting):
            found[row.job_id].append(row.id)
        return found
