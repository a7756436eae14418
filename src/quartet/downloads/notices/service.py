import asyncio
import logging
from collections.abc import Sequence

from msgspec.structs import replace

from quartet.downloads.captchas.service import Captchas
from quartet.downloads.notices import store
from quartet.downloads.notices.texts import MORE, TEST, TITLE, line
from quartet.downloads.notices.types import (
    NoticeSettings,
    Notification,
    NotificationState,
    ShownNotices,
    Target,
)
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel import notifications
from quartet.kernel.address_policy import AddressPolicy
from quartet.kernel.clock import now_ms
from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.kernel.service import Kernel

log = logging.getLogger("quartet.downloads.notices")

MOST_LINES = 20
# A download's finish time is slightly earlier than its commit.
OVERLAP_MS = 60_000


class Notices:
    """Sends notifications; events that happen close together are sent as one message."""

    def __init__(self, kernel: Kernel[DownloadsSettings], captchas: Captchas) -> None:
        self._db = kernel.db
        self._captchas = captchas
        self._allowance = AddressPolicy(kernel.settings.allow_private_addresses)
        self._error: Problem | None = None
        # The state at the last check; what exists at the first check is not reported.
        self._last_state: NotificationState | None = None
        self._known_questions: set[str] = set()
        self._checked_at = 0

    async def shown(self) -> ShownNotices:
        now = await self._db.read(store.settings)
        targets = [replace(each, url=notifications.mask_url(each.url)) for each in now.targets]
        return ShownNotices(targets, now.language, self._error)

    async def replace(self, given: NoticeSettings) -> ShownNotices:
        kept = await self._db.read(store.settings)
        targets = [replace(each, url=_unmasked(each.url, kept.targets)) for each in given.targets]
        for target in targets:
            await asyncio.to_thread(self._check, target.url)
        settings = NoticeSettings(targets, given.language)
        await self._db.write(lambda tx: store.put(tx.conn, settings))
        self._error = None
        if self._last_state is None:
            await self._new_notifications()
        return await self.shown()

    async def test(self, url: str) -> None:
        now = await self._db.read(store.settings)
        await self._send(_unmasked(url, now.targets), TITLE[now.language], TEST[now.language])

    async def check(self) -> None:
        """Send what is new since the last check, as one message per target."""
        settings = await self._db.read(store.settings)
        if not settings.targets:
            self._last_state = None
            return
        new = await self._new_notifications()
        for target in settings.targets:
            lines = [line(each, settings.language) for each in new if each[0] in target.occasions]
            if len(lines) > MOST_LINES:
                more = MORE[settings.language].format(count=len(lines) - MOST_LINES)
                lines = [*lines[:MOST_LINES], more]
            if lines:
                await self._notify(target, TITLE[settings.language], "\n".join(lines))

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

    async def _notify(self, target: Target, title: str, body: str) -> None:
        """Send a message; a failure does not affect other targets."""
        try:
            await self._send(target.url, title, body)
        except AppError as error:
            log.warning("notification to %s failed: %s", target.name, error)
            self._error = problem_of(error)
        else:
            self._error = None

    async def _send(self, url: str, title: str, body: str) -> None:
        await asyncio.to_thread(self._check, url)
        if not await asyncio.to_thread(notifications.send, url, title, body, self._allowance):
            raise AppError(502, "notice_not_sent", scheme=notifications.scheme_of(url))

    def _check(self, url: str) -> None:
        verdict, scheme = (
            notifications.check_url(url, self._allowance),
            notifications.scheme_of(url),
        )
        if verdict == "unknown":
            raise AppError(400, "notice_address_invalid", scheme=scheme)
        if verdict == "forbidden":
            raise AppError(403, "notice_address_forbidden", scheme=scheme)


def _unmasked(url: str, kept: Sequence[Target]) -> str:
    if notifications.MASK not in url:
        return url.strip()
    found = next((each.url for each in kept if notifications.mask_url(each.url) == url), None)
    if found is None:
        raise AppError(400, "notice_address_unknown", url=url)
    return found
