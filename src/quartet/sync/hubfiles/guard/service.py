import asyncio
import time
from collections.abc import Iterable

from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.sync.activity.service import Activity
from quartet.sync.config.service.revisions import Revisions, Unchanged
from quartet.sync.config.store import shares
from quartet.sync.config.types.revisions import Config, What
from quartet.sync.hub.types import Hub, HubChange
from quartet.sync.hubfiles.guard.windows import Window

# What waited while a share was held may come through when a person has said so.
RELEASE_SECONDS = 600.0

# The states of a folder whose files are not known.
UNCOUNTED = ("paused", "unknown")

# A folder and a device, as the engine calls them.
Pair = tuple[str, str]


class Guard:
    """Holds the share of a device that deletes much of a folder at once, until a person decides.

    What it has deleted on the hub so far is among the versions there.
    """

    def __init__(
        self, revisions: Revisions, hub: Hub, activity: Activity, *, percent: int, files: int
    ) -> None:
        self._revisions = revisions
        self._hub = hub
        self._activity = activity
        self._percent = percent
        self._files = files
        self._windows: dict[Pair, Window] = {}
        self._released: dict[Pair, float] = {}
        self.alarmed = asyncio.Event()

    def notice(self, changes: Iterable[HubChange]) -> None:
        now = time.monotonic()
        for change in changes:
            if self._percent and change.device is not None and change.type == "file":
                pair = (change.folder, change.device)
                window = self._windows.setdefault(pair, Window())
                window.add(now, change.path, deleted=change.action == "deleted")
                self.alarmed.set()

    async def look(self) -> None:
        """Until nobody has changed anything for a minute."""
        now = time.monotonic()
        files = self._counted()
        for pair, window in list(self._windows.items()):
            gone = window.gone(now)
            if window.is_empty:
                del self._windows[pair]
            elif self._is_too_much(gone, files.get(pair[0])) and not self._may(pair, now):
                await self._hold(pair, gone)
                del self._windows[pair]
        if not self._windows:
            self.alarmed.clear()

    def _counted(self) -> dict[str, int]:
        """Files by folder; an engine that has just started knows of some only that they exist."""
        folders = self._hub.state().folders
        return {id: each.files for id, each in folders.items() if each.state not in UNCOUNTED}

    def _is_too_much(self, gone: int, left: int | None) -> bool:
        if left is None:
            return False
        return gone > self._files and gone * 100 > self._percent * (left + gone)

    def _may(self, pair: Pair, now: float) -> bool:
        return self._released.get(pair, 0.0) > now

    async def _hold(self, pair: Pair, count: int) -> None:
        config = self._revisions.current
        folder = config.folders.get(config.folder_numbers.get(pair[0], 0))
        device = config.devices.get(config.device_numbers.get(pair[1], 0))
        if folder is None or device is None:
            return
        inputs = {"device": device.name, "folder": folder.label}
        try:
            await self._set("guard", What("share_held", inputs), folder.id, device.id, held=True)
        except Unchanged:
            return
        self._activity.record(
            "error",
            "deletions_held",
            device_id=device.id,
            folder_id=folder.id,
            count=count,
            **inputs,
        )

    async def release(self, who: str, folder_id: int, device_id: int) -> None:
        config = self._revisions.current
        share = config.share(folder_id, device_id)
        folder, device = config.folders[folder_id], config.devices[device_id]
        if not share.held:
            raise AppError(409, "share_not_held", folder=folder.label, device=device.name)
        pair = (folder.engine_folder_id, device.engine_id)
        self._released[pair] = time.monotonic() + RELEASE_SECONDS
        what = What("share_released", {"device": device.name, "folder": folder.label})
        try:
            await self._set(who, what, folder_id, device_id, held=False)
        except Unchanged:
            # Somebody else was faster.
            raise AppError(409, "share_not_held", folder=folder.label, device=device.name) from None

    async def _set(
        self, who: str, what: What, folder_id: int, device_id: int, *, held: bool
    ) -> None:
        def work(tx: Tx, _before: Config) -> None:
            if not shares.hold(tx.conn, folder_id, device_id, held):
                raise Unchanged

        await self._revisions.change(who, what, work)
