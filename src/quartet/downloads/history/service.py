import logging
from datetime import timedelta

from quartet.downloads.events import Changed
from quartet.downloads.history import days, store
from quartet.downloads.history.types import (
    HistoryPage,
    HistoryQuery,
    HistoryStats,
    Period,
    PeriodSum,
)
from quartet.downloads.input_cleanup import clean_text
from quartet.downloads.options.store import options
from quartet.downloads.packages.service import require_found, valid_id
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.clock import now_ms
from quartet.kernel.db import Tx
from quartet.kernel.service import Kernel

log = logging.getLogger("quartet.downloads.history")

DAY_MS = 86_400_000


class HistoryService:
    """Finished downloads, which stay when they are removed from the queue."""

    def __init__(self, kernel: Kernel[DownloadsSettings]) -> None:
        self._db = kernel.db

    async def page(self, wanted: HistoryQuery) -> HistoryPage:
        words = clean_text(wanted.q)
        entries, rest = await self._db.read(store.page, words, wanted.before, wanted.limit)
        return HistoryPage(entries, rest)

    async def stats(self, period: Period, count: int) -> HistoryStats:
        starts = days.starts(days.today(), period, count)
        first = days.number_of(starts[0])
        found = await self._db.read(store.days, first)
        hosts = await self._db.read(store.hosts, first)
        sums = {start: [0, 0] for start in starts}
        for day, files, size in found:
            # A day in the future follows a change of the clock.
            total = sums.get(days.start_of(days.date_of(day), period), [0, 0])
            total[0] += files
            total[1] += size
        periods = [PeriodSum(start.isoformat(), *total) for start, total in sums.items()]
        return HistoryStats(
            periods,
            hosts,
            sum(each.files for each in periods),
            sum(each.bytes for each in periods),
        )

    async def clear(self) -> None:
        def work(tx: Tx) -> None:
            store.clear(tx.conn)
            tx.emit(Changed("history"))

        await self._db.write(work)
        log.info("history cleared")

    async def remove(self, id: int) -> None:
        def work(tx: Tx) -> None:
            require_found(store.remove(tx.conn, valid_id(id)), id=id)
            tx.emit(Changed("history"))

        await self._db.write(work)

    async def delete_old(self) -> None:
        """Delete what is older than the settings say."""
        kept = (await self._db.read(options)).history_days
        time, day = now_ms() - kept * DAY_MS, days.number_of(days.today() - timedelta(days=kept))
        total = 0
        while count := await self._db.write(lambda tx: store.delete_before(tx.conn, time, day)):
            total += count
        if total:
            log.info("history: %d old entries deleted", total)
