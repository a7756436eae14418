import asyncio
import logging
import time
from typing import Any

from quartet.kernel.address_policy import AddressPolicy
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.kernel.events import Signal
from quartet.kernel.notifications import mask_url
from quartet.sync.activity.service import Activity
from quartet.sync.activity.types import ActivityRecord
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.hub.shared import SharedHub
from quartet.sync.live.service import Live
from quartet.sync.notices import sending, store
from quartet.sync.notices.masking import unmasked
from quartet.sync.notices.texts import MORE, TEST, TITLE, line
from quartet.sync.notices.types import Message, NoticeSettings, ShownNotices, Target

log = logging.getLogger("quartet.sync.notices")

# Tells all servers on the same database that the settings changed.
TOPIC = "sync-notices"
MOST_LINES = 20
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
        *,
        allow_private: bool,
    ) -> None:
        self._db = db
        self._revisions = revisions
        self._live = live
        self._hub = hub
        self._allowance = AddressPolicy(allow_private)
        self._settings = db.write_sync(lambda tx: store.settings(tx.conn))
        self._waiting: list[tuple[str, dict[str, Any]]] = []
        # Devices already offline at startup are not reported.
        self._away: set[int] | None = None
        self._error: Problem | None = None
        self.pending = asyncio.Event()
        activity.listeners.append(self._on_activity)

    def shown(self) -> ShownNotices:
        now = self._settings
        return ShownNotices(
            [Target(each.name, mask_url(each.url)) for each in now.targets],
            now.offline_minutes,
            now.conflicts,
            now.errors,
            now.language,
            self._error,
        )

    async def reload(self) -> None:
        self._settings = await self._db.read(store.settings)

    async def replace(self, given: NoticeSettings) -> ShownNotices:
        kept = self._settings.targets
        targets = [Target(each.name, unmasked(each.url, kept)) for each in given.targets]
        for target in targets:
            await asyncio.to_thread(sending.check, target.url, self._allowance)
        settings = NoticeSettings(
            targets, given.offline_minutes, given.conflicts, given.errors, given.language
        )
        await self._db.write(_put, settings)
        self._settings, self._error = settings, None
        return self.shown()

    async def test(self, url: str) -> None:
        language = self._settings.language
        message = Message(TITLE[language], TEST[language])
        url = unmasked(url, self._settings.targets)
        await asyncio.to_thread(sending.send, url, message, self._allowance)

    def _on_activity(self, record: ActivityRecord) -> None:
        wanted = {"conflict": self._settings.conflicts, "error": self._settings.errors}
        if wanted.get(record.kind):
            self._add(record.code, record.inputs)

    def _add(self, code: str, inputs: dict[str, Any]) -> None:
        if self._settings.targets and len(self._waiting) < MOST_WAITING:
            self._waiting.append((code, inputs))
            self.pending.set()

    async def check_offline_devices(self) -> None:
        minutes = self._settings.offline_minutes
        oldest = time.time() - minutes * 60
        away = {
            device.id: device.name
            for device in self._live.overview().devices
            if minutes and device.approved and not device.online and device.last_seen < oldest
        }
        news = away.keys() - (away.keys() if self._away is None else self._away)
        # Only the owner of the hub sends; the others keep track in case they take over.
        for device_id in news if self._hub.owned else ():
            self._add("offline", {"device": away[device_id], "minutes": minutes})
        self._away = set(away)

    async def send(self) -> None:
        """Send all pending events as one message to each target."""
        self.pending.clear()
        waiting, self._waiting = self._waiting, []
        language = self._settings.language
        lines = [line(code, inputs, language) for code, inputs in waiting[:MOST_LINES]]
        if len(waiting) > MOST_LINES:
            lines.append(MORE[language].format(count=len(waiting) - MOST_LINES))
        message = Message(TITLE[language], "\n".join(lines))
        for target in self._settings.targets:
            await self._send_to(target, message)

    async def _send_to(self, target: Target, message: Message) -> None:
        """Send to one target; a failure does not affect the others."""
        try:
            await asyncio.to_thread(sending.send, target.url, message, self._allowance)
        except AppError as error:
            log.warning("could not notify %s: %s", target.name, error)
            self._error = problem_of(error)
        else:
            self._error = None


def _put(tx: Tx, settings: NoticeSettings) -> None:
    store.put(tx.conn, settings)
    tx.emit(Signal(TOPIC))
