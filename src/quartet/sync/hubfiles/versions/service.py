import asyncio
import logging
from pathlib import Path

from quartet.sync.activity.service import Activity
from quartet.sync.config.service.folders import Folders
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.hub.types import Hub
from quartet.sync.hubfiles.folder_on_disk import FolderOnDisk
from quartet.sync.hubfiles.rescan import rescan
from quartet.sync.hubfiles.versions import archive
from quartet.sync.hubfiles.versions.types import Restore, VersionPage

log = logging.getLogger("quartet.sync.versions")


class Versions:
    def __init__(self, data: Path, revisions: Revisions, hub: Hub, activity: Activity) -> None:
        self._data = data
        self._revisions = revisions
        self._folders = Folders(revisions)
        self._hub = hub
        self._activity = activity
        self._lock = asyncio.Lock()

    async def page(self, folder_id: int, path: str, cursor: str) -> VersionPage:
        place = FolderOnDisk(self._data, self._folders.folder(folder_id))
        return await asyncio.to_thread(archive.page, place, path, cursor)

    async def restore(self, folder_id: int, given: Restore) -> None:
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

    async def prune(self) -> None:
        for folder in self._revisions.current.folders.values():
            if folder.versioning.max_age_days and not folder.encrypted_on_hub:
                place = FolderOnDisk(self._data, folder)
                await asyncio.to_thread(archive.prune, place, folder.versioning.max_age_days)
