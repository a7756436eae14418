from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from quartet.kernel.service import Kernel
from quartet.media.dashboard.types import Dashboard, LatestTitle
from quartet.media.history.service import History
from quartet.media.history.types import HistoryEntry, HistoryTitle
from quartet.media.jobs import store, store_item_counts
from quartet.media.jobs.records import JobRecord
from quartet.media.jobs.service import Jobs
from quartet.media.jobs.types import BUSY, ItemState, JobStatus
from quartet.media.roots.service import Folders
from quartet.media.watch.service import WatchFolders

_RECENT = 10
_RUNNING = 20
# How many entries of the history are searched for titles, and how many titles are shown.
_LOOKED_AT = 200
_MOST_TITLES = 12


class _Counts(NamedTuple):
    jobs: dict[JobStatus, int]
    items: dict[ItemState, int]
    running: list[JobRecord]
    inbox: int


class DashboardService:
    def __init__(
        self,
        kernel: Kernel[Any],
        *,
        jobs: Jobs,
        history: History,
        folders: Folders,
        watch_folders: WatchFolders,
    ) -> None:
        self._db = kernel.db
        self._jobs = jobs
        self._history = history
        self._folders = folders
        self._watch_folders = watch_folders

    async def current(self) -> Dashboard:
        jobs, items, running, inbox = await self._db.read(_read_counts)
        folders = await self._folders.all()
        watched = await self._watch_folders.all()
        kinds = {folder.kind for folder in folders}
        recent = await self._history.latest_files(_LOOKED_AT)
        return Dashboard(
            jobs=jobs,
            items=items,
            running=await self._jobs.to_api(running[:_RUNNING]),
            inbox=inbox,
            watch_folders=len(watched),
            watch_problems=sum(1 for each in watched if each.problem),
            folders=len(folders),
            movie_library="movies" in kinds,
            series_library="series" in kinds,
            recent=recent[:_RECENT],
            titles=_latest_titles(recent),
        )


def _latest_titles(entries: Sequence[HistoryEntry]) -> list[LatestTitle]:
    """Return the titles of the latest files, each once, with the number of its files."""
    counts: Counter[HistoryTitle] = Counter(one.match for one in entries if one.match)
    found = [LatestTitle(title, count) for title, count in counts.items()]
    # The oldest one may have more files than were looked at.
    cut = len(entries) == _LOOKED_AT and len(found) > 1
    return found[: -1 if cut else None][:_MOST_TITLES]


def _read_counts(conn: Any) -> _Counts:
    """Read everything in one transaction: while a job runs, each round trip takes time."""
    return _Counts(
        store.status_counts(conn),
        store_item_counts.by_state(conn),
        store.with_status(conn, BUSY),
        store_item_counts.in_inbox(conn),
    )
