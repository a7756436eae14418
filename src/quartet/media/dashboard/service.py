from typing import Any, NamedTuple

from quartet.kernel.service import Kernel
from quartet.media.dashboard.types import Dashboard
from quartet.media.history.service import History
from quartet.media.jobs import item_store, store
from quartet.media.jobs.rows import JobRow
from quartet.media.jobs.service import Jobs
from quartet.media.jobs.types import BUSY, ItemState, JobStatus
from quartet.media.roots.service import Folders
from quartet.media.watch.service import WatchFolders

_RECENT = 10
_RUNNING = 20


class _Counted(NamedTuple):
    jobs: dict[JobStatus, int]
    items: dict[ItemState, int]
    running: list[JobRow]
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
        jobs, items, running, inbox = await self._db.read(_counted)
        folders = await self._folders.all()
        kinds = {folder.kind for folder in folders}
        return Dashboard(
            jobs=jobs,
            items=items,
            running=await self._jobs.shown(running[:_RUNNING]),
            inbox=inbox,
            watch_folders=len(await self._watch_folders.all()),
            folders=len(folders),
            movie_library="movies" in kinds,
            series_library="series" in kinds,
            recent=(await self._history.page(None, "", False, _RECENT)).entries,
        )


def _counted(conn: Any) -> _Counted:
    """At once: while a job is at work each way to the database and back takes its time."""
    return _Counted(
        store.status_counts(conn),
        store.state_counts(conn),
        store.with_status(conn, BUSY),
        item_store.waiting_count(conn),
    )
