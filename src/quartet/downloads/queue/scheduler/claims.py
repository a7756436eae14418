"""Marks started downloads as active in the database, in batches.

A plain link is fetched before its claim is written: many small files end faster than a transaction
runs, so their slots would be empty most of the time. Until the claim is written, the download is
queued in the database, so a process that ends in between resumes it like any other.
"""

import asyncio
from functools import partial

from quartet.downloads.bittorrent.magnets import is_torrent_host
from quartet.downloads.queue.batcher import BatchedWrites
from quartet.downloads.queue.scheduler import store as scheduler_store
from quartet.downloads.queue.types import ClaimedDownload

# Delay between batches. A file that arrives earlier has its claim written with its path.
_BATCH_SECONDS = 0.25


def starts_before_claim(item: ClaimedDownload) -> bool:
    """Return whether the link needs no plugin, and therefore no answer of a hoster or user."""
    return item.is_plain and not is_torrent_host(item.host)


class Claims:
    def __init__(self, writes: BatchedWrites) -> None:
        self._writes = writes
        self._waiting: list[tuple[ClaimedDownload, asyncio.Future[bool]]] = []
        self._writing: set[asyncio.Future[list[ClaimedDownload]]] = set()
        self._timer: asyncio.Handle | None = None
        self._not_before = 0.0
        self._failure: BaseException | None = None

    def put(self, item: ClaimedDownload) -> asyncio.Future[bool]:
        """Claim the download soon; the result is whether it was still queued."""
        loop = asyncio.get_running_loop()
        claim: asyncio.Future[bool] = loop.create_future()
        self._waiting.append((item, claim))
        if self._timer is None:
            # Never at once, so that downloads that start together are claimed together.
            self._timer = loop.call_later(max(self._not_before - loop.time(), 0), self.flush)
        return claim

    def flush(self) -> None:
        """Write the waiting claims in the next transaction."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._waiting:
            return
        self._not_before = asyncio.get_running_loop().time() + _BATCH_SECONDS
        batch, self._waiting = self._waiting, []
        written = self._put([item for item, _ in batch])
        self._writing.add(written)
        written.add_done_callback(partial(self._written, batch))

    async def now(self, items: list[ClaimedDownload]) -> list[ClaimedDownload]:
        """Claim downloads at once; return those that were still queued."""
        return await self._put(items)

    async def settle(self) -> None:
        """Wait until all claims are written; raises the error of a claim that failed."""
        waiting = [claim for _, claim in self._waiting]
        self.flush()
        if waiting:
            await asyncio.wait(waiting)
        while self._writing:
            await asyncio.wait(self._writing)
        failure, self._failure = self._failure, None
        if failure:
            raise failure

    def _put(self, items: list[ClaimedDownload]) -> asyncio.Future[list[ClaimedDownload]]:
        return self._writes.put(
            lambda tx: scheduler_store.claim(tx.conn, items), [item.id for item in items]
        )

    def _written(
        self,
        batch: list[tuple[ClaimedDownload, asyncio.Future[bool]]],
        written: asyncio.Future[list[ClaimedDownload]],
    ) -> None:
        self._writing.discard(written)
        claimed: set[int] = set()
        if failure := written.exception():
            # Raised to the scheduler, which waits and retries.
            self._failure = failure
        else:
            claimed = {item.id for item in written.result()}
        for item, claim in batch:
            claim.set_result(item.id in claimed)
