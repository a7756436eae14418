from typing import Annotated

from litestar import delete, get
from litestar.params import FromPath, FromQuery, QueryParameter

from quartet.downloads.history.service import HistoryService
from quartet.downloads.history.types import HistoryPage, HistoryQuery, HistoryStats, Period
from quartet.kernel.web import Injected


@get("/api/history")
async def read_history(
    history: Injected[HistoryService],
    q: FromQuery[str] = "",
    before: Annotated[int | None, QueryParameter(ge=1, le=2**53 - 1)] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=500)] = 100,
) -> HistoryPage:
    """List finished downloads, newest first; `q` searches name, host, package and address.

    `next` is the value of `before` for the following page; null means that there is none.
    """
    return await history.page(HistoryQuery(q, before, limit))


@get("/api/history/stats")
async def read_history_stats(
    history: Injected[HistoryService],
    by: FromQuery[Period] = "day",
    count: Annotated[int, QueryParameter(ge=1, le=366)] = 30,
) -> HistoryStats:
    """Return the files and bytes of the last periods, and of the hosters in them."""
    return await history.stats(by, count)


@delete("/api/history", audit="deleted")
async def clear_history(history: Injected[HistoryService]) -> None:
    """Delete the whole history and its statistics; files and downloads stay."""
    await history.clear()


@delete("/api/history/{entry_id:int}", audit="deleted")
async def remove_history_entry(entry_id: FromPath[int], history: Injected[HistoryService]) -> None:
    """Delete an entry; the statistics stay."""
    await history.remove(entry_id)


ROUTES = [read_history, read_history_stats, clear_history, remove_history_entry]
