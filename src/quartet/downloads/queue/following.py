"""What follows when a download is finished: its checksum, and what its package waits for."""

import logging
from collections.abc import Callable, Iterable

from quartet.downloads.options.store import options as read_options
from quartet.downloads.options.types import Options
from quartet.downloads.queue import store_arrivals as store
from quartet.downloads.queue.arrivals import Arrivals
from quartet.downloads.queue.together import Together
from quartet.downloads.queue.types import Landed
from quartet.downloads.queue.verifying import Verifying
from quartet.downloads.queue.writes import Writes
from quartet.downloads.transfer import is_list
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError

log = logging.getLogger("quartet.downloads.queue")

# Told the package of each download that was finished.
Arrived = Callable[[Tx, int], None]


class Following:
    """The list remembers for which downloads this is still to be done."""

    def __init__(
        self,
        db: Database,
        writes: Writes,
        verifying: Verifying,
        arrivals: Arrivals,
        arrived: Arrived,
    ) -> None:
        self._db = db
        self._writes = writes
        self._verifying = verifying
        self._arrivals = arrivals
        self._arrived = arrived
        self._telling: Together[Landed, None] = Together(self._tell)

    async def follow(self, landed: Landed, options: Options, given_up: Callable[[], bool]) -> None:
        if options.verify_checksums:
            try:
                await self._judge(landed, given_up)
            except AppError as error:
                log.warning("%s could not be compared: %s", landed.file, error.code)
        # Otherwise the next start does it.
        if not given_up():
            await self._telling.do(landed)

    async def catch_up(self, left: Iterable[Landed]) -> None:
        """Of downloads that were finished when the process ended."""
        options = await self._db.read(read_options)
        for landed in left:
            await self.follow(landed, options, lambda: False)

    async def _judge(self, landed: Landed, given_up: Callable[[], bool]) -> None:
        """A list judges what came before it; a file asks for lists that came while it was moved."""
        lists, only = [landed.file], None
        if not is_list(landed.file):
            package = await self._arrivals.package(landed.id) if landed.hash_ok is None else None
            lists, only = package.lists if package else [], landed.id
        if lists:
            async with self._verifying.turn:
                await self._verifying.judge(landed.package_id, lists, given_up, only)

    async def _tell(self, batch: list[Landed]) -> list[None]:
        def work(tx: Tx) -> None:
            for package_id in dict.fromkeys(landed.package_id for landed in batch):
                self._arrived(tx, package_id)
            store.settled(tx.conn, [landed.id for landed in batch])

        await self._writes.do(work)
        return [None] * len(batch)
