from typing import Any

from quartet.kernel.service import Kernel
from quartet.media.dashboard.types import Dashboard
from quartet.media.history.service import History
from quartet.media.inbox.service import Inbox
from quartet.media.jobs import store
from quartet.media.jobs.service import Jobs
from quartet.media.jobs.types import BUSY
from quartet.media.roots.service import Folders
from quartet.media.watch.service import WatchFolders

_RECENT = 10
_RUNNING = 20


class DashboardService:
    def __init__(
        self,
        kernel: Kernel[Any],
        *,
        jobs: Jobs,
        inbox: Inbox,
        history: History,
        folders: Folders,
        watch_folders: WatchFolders,
    ) -> None:
        self._db = kernel.db
        self._jobs = jobs
        self._inbox = inbox
        self._history = history
        self._folders = folders
        self._watch_folders = watch_folders

    async def current(self) -> Dashboard:
        running = await self._db.read(store.with_status, BUSY)
        folders = await self._folders.all()
        kinds = {folder.kind for folder in folders}
        return Dashboard(
            jobs=await self._db.read(store.status_counts),
            items=await self._db.read(store.state_counts),
            running=await self._jobs.shown(running[:_RUNNING]),
            inbox=await self._inbox.size(),
            watch_folders=len(await self._watch_folders.all()),
            folders=len(folders),
            movie_library="movies" in kinds,
            series_library="series" in kinds,
            recent=(await self._history.page(None, "", False, _RECENT)).entries,
        )
