from collections.abc import Sequence

from quartet.downloads.captchas.service import Captchas
from quartet.downloads.notices import store
from quartet.downloads.notices.texts import TITLES, line, page_of
from quartet.downloads.notices.types import (
    NoticeSettings,
    Notification,
    NotificationState,
    ShownNotices,
)
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.address_policy import AddressPolicy
from quartet.kernel.clock import now_ms
from quartet.kernel.conditions import Condition
from quartet.kernel.conditions.texts import lines as condition_lines
from quartet.kernel.notifier import Notifier, masked, restore_url
from quartet.kernel.push.notices import BrowserNotices
from quartet.kernel.service import Kernel

# A download's finish time is slightly earlier than its commit.
OVERLAP_MS = 60_000


class Notices:
    """Sends notifications; events that happen close together are sent as one message."""

    def __init__(
        self, kernel: Kernel[DownloadsSettings], captchas: Captchas, browsers: BrowserNotices
    ) -> None:
        self._db = kernel.db
        self._captchas = captchas
        self._browsers = browsers
        browsers.on_subscribe(self._remember_state)
        policy = AddressPolicy(kernel.allow_private)
        self._notifier = Notifier(policy, TITLES)
        # The state at the last check; what exists at the first check is not reported.
        self._last_state: NotificationState | None = None
        self._known_questions: set[str] = set()
        self._checked_at = 0

    async def shown(self) -> ShownNotices:
        now = await self._db.read(store.settings)
        return ShownNotices(masked(now.targets), now.language, self._notifier.error)

    async def replace(self, given: NoticeSettings) -> ShownNotices:
        stored = (await self._db.read(store.settings)).targets
        targets = await self._notifier.restored(given.targets, stored)
        settings = NoticeSettings(targets, given.language)
        await self._db.write(lambda tx: store.put(tx.conn, settings))
        self._notifier.error = None
        await self._remember_state()
        return await self.shown()

    async def test(self, url: str) -> None:
        now = await self._db.read(store.settings)
        restored = restore_url(url, (each.url for each in now.targets))
        await self._notifier.send_test(restored, now.language)

    async def check(self) -> None:
        """Send what is new since the last check, as one message per target."""
        settings = await self._db.read(store.settings)
        if not settings.targets and not await self._browsers.wanted():
            self._last_state = None
            return
        new = await self._new_notifications()
        every = [line(each, settings.language) for each in new]
        await self._browsers.send_lines(every, settings.language, page_of(new))
        for target in settings.targets:
            lines = [line(each, settings.language) for each in new if each[0] in target.occasions]
            if lines:
                await self._notifier.send_lines(target, lines, settings.language)

    async def report_problems(self, began: Sequence[Condition], ended: Sequence[Condition]) -> None:
        """Tell the recipients of failures about problems of the service."""
        settings = await self._db.read(store.settings)
        lines = condition_lines(began, ended, settings.language)
        await self._browsers.send_lines(lines, settings.language, "/system")
        for target in settings.targets:
            if "failed" in target.occasions:
                await self._notifier.send_lines(target, lines, settings.language)

    async def _remember_state(self) -> None:
        """Report only what happens from now on."""
        if self._last_state is None:
            await self._new_notifications()

    async def _new_notifications(self) -> list[Notification]:
        before, since = self._last_state, self._checked_at - OVERLAP_MS
        self._checked_at = now_ms()
        now = self._last_state = await self._db.read(store.notification_state, since)
        asked, waiting = self._known_questions, {each.id: each for each in self._captchas.waiting()}
        self._known_questions = set(waiting)
        if before is None:
            return []
        new = [each for id, each in waiting.items() if id not in asked]
        return [
            *(Notification("captcha", each.name or each.link or "") for each in new),
            *(Notification("disk_full", now.full[id]) for id in now.full.keys() - before.full),
            *(Notification("failed", *now.failed[id]) for id in now.failed.keys() - before.failed),
            *(
                Notification("finished", now.finished[id])
                for id in now.finished.keys() - before.finished
            ),
        ]
