import asyncio
import logging
import math
import time
from collections.abc import Container, Mapping
from pathlib import Path

from quartet.kernel.files import Root
from quartet.sync.activity.service import Activity
from quartet.sync.config.service.folders import Folders
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.hub.types import Hub
from quartet.sync.hubfiles.folder_on_disk import FolderOnDisk
from quartet.sync.hubfiles.rescan import rescan
from quartet.sync.hubfiles.versions import archive
from quartet.sync.hubfiles.versions.newest import NewestVersions
from quartet.sync.hubfiles.versions.types import RestoreVersion, VersionPage

log = logging.getLogger("quartet.sync.versions")


class Versions:
    def __init__(
        self, data: Path, revisions: Revisions, hub: Hub, activity: Activity, *, gated: bool
    ) -> None:
        self._data = data
        self._revisions = revisions
        self._folders = Folders(revisions)
        self._hub = hub
        self._activity = activity
        self._lock = asyncio.Lock()
        self._newest: dict[int, NewestVersions] = {}
        # Without a gate, the engine thins versions out at any time.
        self._gated = gated
        # Newer versions have not been thinned out.
        self.thinned_at = math.inf

    async def page(self, folder_id: int, path: str, cursor: str) -> VersionPage:
        place = FolderOnDisk(self._data, self._folders.folder(folder_id))
        newest = self._newest.setdefault(folder_id, NewestVersions(place))
        return await asyncio.to_thread(archive.page, place, path, cursor, newest)

    async def restore(self, folder_id: int, given: RestoreVersion) -> None:
        """Restore a version; the current file becomes one, and the restored version is kept."""
        folder = self._folders.folder(folder_id)
        place = FolderOnDisk(self._data, folder)
        async with self._lock:
            await asyncio.to_thread(archive.restore, place, given.path, given.at)
        log.info("folder %d: version %s of %s restored", folder_id, given.at, given.path)
        self._activity.record(
            "restored",
            "version_restored",
            folder_id=folder_id,
            folder=folder.label,
            path=given.path,
            at=given.at,
        )
        await rescan(self._hub, folder.engine_folder_id, [given.path])

    async def restore_first(self, folder_id: int, since: Mapping[str, int]) -> None:
        """Restore the first version of each file since a time: its content before the changes."""
        if not since:
            return
        folder = self._folders.folder(folder_id)
        place = FolderOnDisk(self._data, folder)
        async with self._lock:
            done = await asyncio.to_thread(archive.restore_first, place, since)
        log.info("folder %d: %d files restored to their earlier versions", folder_id, len(done))
        await rescan(self._hub, folder.engine_folder_id, done)

    async def undo_restore(
        self, folder_id: int, since: Mapping[str, int], gone: Container[str]
    ) -> None:
        """Bring back the changes that `restore_first` undid; files in `gone` were deleted."""
        folder = self._folders.folder(folder_id)
        place = FolderOnDisk(self._data, folder)
        async with self._lock:
            done = await asyncio.to_thread(archive.undo_restore, place, since, gone)
        await rescan(self._hub, folder.engine_folder_id, done)

    async def prune(self) -> None:
        thinned_at = time.time()
        for folder in self._revisions.current.folders.values():
            days = folder.versioning.max_age_days
            files = Root(self._data / "folders" / folder.engine_folder_id)
            await asyncio.to_thread(archive.thin_out, files, days)
            if days and not folder.encrypted_on_hub:
                place = FolderOnDisk(self._data, folder)
                await asyncio.to_thread(archive.prune, place, days)
        if self._gated:
            self.thinned_at = thinned_at
