import asyncio
import logging
import time
from collections.abc import Iterable

from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.sync.activity.service import Activity
from quartet.sync.config.service.revisions import Revisions, Unchanged
from quartet.sync.config.store import shares
from quartet.sync.config.types.revisions import ChangeSummary, Config
from quartet.sync.hub.types import Hub, HubChange
from quartet.sync.hubfiles.guard.windows import DeletionWindow

log = logging.getLogger("quartet.sync.guard")

# After a release, the device may delete files for this long without being held again.
RELEASE_SECONDS = 600.0

# States in which the number of files is unknown.
UNCOUNTED = ("paused", "unknown")

# Engine folder id and engine id.
Pair = tuple[str, str]


class Guard:
    """The delete guard: holds the share of a device that deletes many files of a folder at once.

    A user has to release the share. Files deleted on the hub until then are among its versions.
    """

    def __init__(
        self, revisions: Revisions, hub: Hub, activity: Activity, *, percent: int, files: int
    ) -> None:
        self._revisions = revisions
        self._hub = hub
        self._activity = activity
        self._percent = percent
        self._files = files
        self._windows: dict[Pair, DeletionWindow] = {}
        self._released: dict[Pair, float] = {}
        self.changed = asyncio.Event()

    def handle_changes(self, changes: Iterable[HubChange]) -> None:
        now = time.monotonic()
        for change in changes:
            if self._percent and change.device is not None and change.type == "file":
                pair = (change.folder, change.device)
                window = self._windows.setdefault(pair, DeletionWindow())
                window.add(now, change.path, deleted=change.action == "deleted")
                self.changed.set()

    async def check(self) -> None:
        """Check all windows; runs until there have been no changes for a minute."""
        now = time.monotonic()
        files = self._file_counts()
        for pair, window in list(self._windows.items()):
            gone = window.gone(now)
            if window.is_empty:
                del self._windows[pair]
            elif self._exceeds_limit(gone, files.get(pair[0])) and not self._is_released(pair, now):
                await self._hold(pair, gone)
                del self._windows[pair]
        if not self._windows:
            self.changed.clear()

    def _file_counts(self) -> dict[str, int]:
        """Return the number of files by folder; it is unknown right after an engine start."""
        folders = self._hub.state().folders
        return {id: each.files for id, each in folders.items() if each.state not in UNCOUNTED}

    def _exceeds_limit(self, gone: int, left: int | None) -> bool:
        if left is None:
            return False
        return gone > self._files and gone * 100 > self._percent * (left + gone)

    def _is_released(self, pair: Pair, now: float) -> bool:
        return self._released.get(pair, 0.0) > now

    async def _hold(self, pair: Pair, count: int) -> None:
        config = self._revisions.current
        folder = config.folders.get(config.folder_id_by_engine_id.get(pair[0], 0))
        device = config.devices.get(config.device_id_by_engine_id.get(pair[1], 0))
        if folder is None or device is None:
            return
        inputs = {"device": device.name, "folder": folder.label}
        try:
            await self._set(
                "guard", ChangeSummary("share_held", inputs), folder.id, device.id, held=True
            )
        except Unchanged:
            return
        log.info("folder %d: %d deletions of device %d held", folder.id, count, device.id)
        self._activity.record(
            "error",
            "deletions_held",
            device_id=device.id,
            folder_id=folder.id,
            count=count,
            **inputs,
        )

    async def release(self, user: str, folder_id: int, device_id: int) -> None:
        config = self._revisions.current
        share = config.share(folder_id, device_id)
        folder, device = config.folders[folder_id], config.devices[device_id]
        if not share.held:
            raise AppError(409, "share_not_held", folder=folder.label, device=device.name)
        pair = (folder.engine_folder_id, device.engine_id)
        self._released[pair] = time.monotonic() + RELEASE_SECONDS
        what = ChangeSummary("share_released", {"device": device.name, "folder": folder.label})
        try:
            await self._set(user, what, folder_id, device_id, held=False)
        except Unchanged:
            # Another user released the share first.
            raise AppError(409, "share_not_held", folder=folder.label, device=device.name) from None
        log.info("folder %d: deletions of device %d released", folder_id, device_id)

    async def _set(
        self, user: str, what: ChangeSummary, folder_id: int, device_id: int, *, held: bool
    ) -> None:
        def work(tx: Tx, _before: Config) -> None:
            if not shares.hold(tx.conn, folder_id, device_id, held):
                raise Unchanged

        await self._revisions.change(user, what, work)
