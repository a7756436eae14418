"""Marks started downloads as active in the database, in batches.

A plain link is fetched before its claim is written: many small files end faster than a transaction
runs, so their slots would be empty most of the time. Until the claim is written, the download is
queued in the database, so a process that ends in between resumes it like any other.
"""

import asyncio

from quartet.downloads.bittorrent.magnets import is_torrent_host
from quartet.downloads.queue.batcher import BatchedWrites, Batcher
from quartet.downloads.queue.scheduler import store as scheduler_store
from quartet.downloads.queue.types import ClaimedDownload

# Delay between batches. No download waits for its claim before its file has arrived.
_BATCH_SECONDS = 0.03


def starts_before_claim(item: ClaimedDownload) -> bool:
    """Return whether the link needs no plugin, and therefore no answer of a hoster or user.

    A download with a speed limit waits: the limit is set in the next pass, and a pass waits for
    the claims.
    """
    is_limited = item.limit or item.package_limit
    return item.is_plain and not is_limited and not is_torrent_host(item.host)


class Claims:
    """Batches wait for more downloads until `idle` is set."""

    def __init__(self, writes: BatchedWrites, idle: asyncio.Event) -> None:
        self._writes = writes
        self._batcher: Batcher[ClaimedDownload, bool] = Batcher(self._claim, _BATCH_SECONDS, idle)
        self._failure: Exception | None = None

    def put(self, item: ClaimedDownload) -> asyncio.Future[bool]:
        """Claim the download soon; the result is whether it was still queued."""
        return self._batcher.put(item)

    async def now(self, items: list[ClaimedDownload]) -> list[ClaimedDownload]:
        """Claim downloads at once; return those that were still queued."""
        return await self._writes.do(
            lambda tx: scheduler_store.claim(tx.conn, items), [item.id for item in items]
        )

    async def settle(self) -> None:
        """Wait until all claims are written; raises the error of a claim that failed."""
        await self._batcher.settle()
        failure, self._failure = self._failure, None
        if failure:
            raise failure

    async def _claim(self, items: list[ClaimedDownload]) -> list[bool]:
        try:
            claimed = {item.id for item in await self.now(items)}
        except Exception as error:  # noqa: BLE001 - raised to the scheduler, which waits and retries
            self._failure = error
            claimed = set()
        return [item.id in claimed for item in items]
