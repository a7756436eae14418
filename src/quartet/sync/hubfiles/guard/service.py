import logging
import time

from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.sync.activity.service import Activity
from quartet.sync.config.service.revisions import Revisions, Unchanged
from quartet.sync.config.store import shares
from quartet.sync.config.types.revisions import ChangeSummary, Config
from quartet.sync.config.types.shares import Share
from quartet.sync.hub.types import Hub, PendingChange
from quartet.sync.hubfiles.guard import store
from quartet.sync.hubfiles.guard.types import MOST_LISTED, HeldChanges, HeldFile, PassedFile
from quartet.sync.hubfiles.names import path_sort_key
from quartet.sync.hubfiles.versions.service import Versions

log = logging.getLogger("quartet.sync.guard")

# After a release, the device may delete and replace files for this long without being held again,
# or for longer while released files are still passing.
RELEASE_SECONDS = 600.0
# A version may be a little older than the event that reports the change.
CLOCK_SECONDS = 10

# Engine folder id and engine id.
Pair = tuple[str, str]


class Holds:
    """Puts shares on hold, and carries out what a user decides about them."""

    def __init__(
        self,
        db: Database,
        revisions: Revisions,
        hub: Hub,
        versions: Versions,
        activity: Activity,
    ) -> None:
        self._db = db
        self._revisions = revisions
        self._hub = hub
        self._versions = versions
        self._activity = activity
        self._released: dict[Pair, float] = {}

    def is_released(self, pair: Pair) -> bool:
        return self._released.get(pair, 0.0) > time.monotonic()

    def extend_release(self, pair: Pair) -> None:
        if self.is_released(pair):
            self._released[pair] = time.monotonic() + RELEASE_SECONDS

    async def hold(
        self, pair: Pair, lost: list[PendingChange], passed: list[PassedFile]
    ) -> int | None:
        """Put a share on hold and restore the files that have passed.

        Return the revision, or None if the share is on hold or unknown.
        """
        config = self._revisions.current
        folder = config.folders.get(config.folder_id_by_engine_id.get(pair[0], 0))
        device = config.devices.get(config.device_id_by_engine_id.get(pair[1], 0))
        if folder is None or device is None:
            return None
        inputs = {"device": device.name, "folder": folder.label}

        def work(tx: Tx, before: Config) -> int:
            if not shares.hold(tx.conn, folder.id, device.id, True):
                raise Unchanged
            store.put(tx.conn, folder.id, device.id, _listed(lost, passed))
            return before.revision + 1

        try:
            revision = await self._revisions.change(
                "guard", ChangeSummary("share_held", inputs), work
            )
        except Unchanged:
            return None
        log.info("folder %d: %d changes of device %d held", folder.id, len(lost), device.id)
        self._activity.record(
            "error",
            "deletions_held",
            device_id=device.id,
            folder_id=folder.id,
            count=len(lost),
            **inputs,
        )
        if not folder.encrypted_on_hub:
            await self._versions.restore_first(folder.id, _times(passed))
        return revision

    async def changes(self, folder_id: int, device_id: int) -> HeldChanges:
        """Return what the device wanted to change."""
        self._held_share(folder_id, device_id)
        found = await self._db.read(store.find, folder_id, device_id)
        return found or HeldChanges(0, 0, 0, [])

    async def release(self, user: str, folder_id: int, device_id: int) -> None:
        """Let the changes proceed to the hub and all other devices."""
        held = await self.changes(folder_id, device_id)
        self._released[self._pair(folder_id, device_id)] = time.monotonic() + RELEASE_SECONDS
        await self._end(user, "share_released", folder_id, device_id)
        if held.passed:
            gone = {each.path for each in held.passed if each.action == "deleted"}
            await self._versions.undo_restore(folder_id, _times(held.passed), gone)
        log.info("folder %d: changes of device %d released", folder_id, device_id)

    async def undo(self, user: str, folder_id: int, device_id: int) -> None:
        """Restore the device from the hub."""
        pair = self._pair(folder_id, device_id)
        config = self._revisions.current
        folder, device = config.folders[folder_id], config.devices[device_id]
        if config.share(folder_id, device_id).paused:
            # The device would not take part.
            raise AppError(409, "share_paused", folder=folder.label, device=device.name)
        if folder.encrypted_on_hub:
            # The engine does not let such a folder override a device.
            raise AppError(409, "encrypted_on_hub", folder=folder.label)
        try:
            await self._hub.impose(*pair)
        except TimeoutError:
            raise AppError(409, "device_not_connected", device=device.name) from None
        await self._end(user, "share_undone", folder_id, device_id)
        log.info("folder %d: changes of device %d undone", folder_id, device_id)

    async def _end(self, user: str, code: str, folder_id: int, device_id: int) -> None:
        config = self._revisions.current
        folder, device = config.folders[folder_id], config.devices[device_id]
        inputs = {"device": device.name, "folder": folder.label}

        def work(tx: Tx, _before: Config) -> None:
            if not shares.hold(tx.conn, folder_id, device_id, False):
                # Another user decided first.
                raise AppError(409, "share_not_held", **inputs)
            store.remove(tx.conn, folder_id, device_id)

        await self._revisions.change(user, ChangeSummary(code, inputs), work)

    def _pair(self, folder_id: int, device_id: int) -> Pair:
        self._held_share(folder_id, device_id)
        config = self._revisions.current
        return config.folders[folder_id].engine_folder_id, config.devices[device_id].engine_id

    def _held_share(self, folder_id: int, device_id: int) -> Share:
        config = self._revisions.current
        share = config.share(folder_id, device_id)
        if not share.held:
            folder, device = config.folders[folder_id], config.devices[device_id]
            raise AppError(409, "share_not_held", folder=folder.label, device=device.name)
        return share


def _times(passed: list[PassedFile]) -> dict[str, int]:
    return {each.path: each.at - CLOCK_SECONDS for each in passed}


def _listed(lost: list[PendingChange], passed: list[PassedFile]) -> HeldChanges:
    deleted = sum(each.action == "deleted" for each in lost)
    shown = sorted(lost, key=lambda each: path_sort_key(each.path))[:MOST_LISTED]
    return HeldChanges(
        at=int(time.time()),
        deleted=deleted,
        replaced=len(lost) - deleted,
        files=[HeldFile(each.path, each.action, each.size) for each in shown],
        passed=passed,
    )
