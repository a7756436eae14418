import asyncio
import time
from collections.abc import Sequence
from typing import Any

from quartet.kernel.address_policy import AddressPolicy
from quartet.kernel.conditions import Condition
from quartet.kernel.conditions.texts import lines
from quartet.kernel.db import Database, Tx
from quartet.kernel.events import Signal
from quartet.kernel.notifier import Notifier, masked, restore_url
from quartet.kernel.push.notices import BrowserNotices
from quartet.sync.activity.service import Activity
from quartet.sync.activity.types import ActivityRecord
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.types.devices import Device
from quartet.sync.hub.shared import SharedHub
from quartet.sync.live.service import Live
from quartet.sync.notices import store
from quartet.sync.notices.texts import TITLES, line
from quartet.sync.notices.types import NoticeSettings, ShownNotices

# Tells all servers on the same database that the settings changed.
TOPIC = "sync-notices"
MOST_WAITING = 1000


class Notices:
    """Sends notifications; events within a few seconds go into one message."""

    def __init__(
        self,
        db: Database,
        revisions: Revisions,
        live: Live,
        activity: Activity,
        hub: SharedHub,
        browsers: BrowserNotices,
        *,
        allow_private: bool,
    ) -> None:
        self._db = db
        self._revisions = revisions
        self._live = live
        self._hub = hub
        self._browsers = browsers
        self._notifier = Notifier(AddressPolicy(allow_private), TITLES)
        self._settings = db.write_sync(lambda tx: store.settings(tx.conn))
        self._waiting: list[tuple[str, dict[str, Any]]] = []
        # Devices already offline at startup are not reported.
        self._offline: set[int] | None = None
        self.pending = asyncio.Event()
        activity.listeners.append(self._on_activity)

    def shown(self) -> ShownNotices:
        now = self._settings
        return ShownNotices(
            masked(now.targets),
            now.offline_minutes,
            now.conflicts,
            now.errors,
            now.language,
            self._notifier.error,
        )

    async def reload(self) -> None:
        self._settings = await self._db.read(store.settings)

    async def replace(self, given: NoticeSettings) -> ShownNotices:
        targets = await self._notifier.restored(given.targets, self._settings.targets)
        settings = NoticeSettings(
            targets, given.offline_minutes, given.conflicts, given.errors, given.language
        )
        await self._db.write(_put, settings)
        self._settings, self._notifier.error = settings, None
        return self.shown()

    async def test(self, url: str) -> None:
        restored = restore_url(url, (target.url for target in self._settings.targets))
        await self._notifier.send_test(restored, self._settings.language)

    def _on_activity(self, record: ActivityRecord) -> None:
        wanted = {"conflict": self._settings.conflicts, "error": self._settings.errors}
        if wanted.get(record.kind):
            self._add(record.code, record.inputs)

    def _add(self, code: str, inputs: dict[str, Any]) -> None:
        if len(self._waiting) < MOST_WAITING:
            self._waiting.append((code, inputs))
            self.pending.set()

    async def report_problems(self, began: Sequence[Condition], ended: Sequence[Condition]) -> None:
        settings = self._settings
        # Hub errors are already reported as errors.
        began, ended = ([one for one in each if one.kind != "hub"] for each in (began, ended))
        if not settings.errors or not self._hub.owned or not (began or ended):
            return
        found = lines(began, ended, settings.language)
        await self._browsers.send_lines(found, settings.language, "/system")
        for target in settings.targets:
            await self._notifier.send_lines(target, found, settings.language)

    async def check_offline_devices(self) -> None:
        minutes = self._settings.offline_minutes
        oldest = time.time() - minutes * 60
        offline = {
            device.id: device.name
            for device in self._revisions.current.devices.values()
            if minutes and device.approved and self._is_offline_since(device, oldest)
        }
        newly_offline = offline.keys() - (
            offline.keys() if self._offline is None else self._offline
        )
        # Only the owner of the hub sends; the others keep track in case they take over.
        for device_id in newly_offline if self._hub.owned else ():
            self._add("offline", {"device": offline[device_id], "minutes": minutes})
        self._offline = set(offline)

    def _is_offline_since(self, device: Device, oldest: float) -> bool:
        seen = self._live.offline_since(device)
        return seen is not None and seen < oldest

    async def send(self) -> None:
        """Send all pending events as one message to each target."""
        self.pending.clear()
        waiting, self._waiting = self._waiting, []
        language = self._settings.language
        found = [line(code, inputs, language) for code, inputs in waiting]
        await self._browsers.send_lines(found, language)
        for target in self._settings.targets:
            await self._notifier.send_lines(target, found, language)


def _put(tx: Tx, settings: NoticeSettings) -> None:
    store.put(tx.conn, settings)
    tx.emit(Signal(TOPIC))
