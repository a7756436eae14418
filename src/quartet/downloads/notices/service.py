import asyncio
import logging
from collections.abc import Sequence

from msgspec.structs import replace

from quartet.downloads.captchas.service import Captchas
from quartet.downloads.notices import store
from quartet.downloads.notices.texts import MORE, TEST, TITLE, line
from quartet.downloads.notices.types import (
    News,
    NoticeSettings,
    Scene,
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
# The time of an end is taken a moment before the list shows it.
OVERLAP_MS = 60_000


class Notices:
    """Tells people outside of the browser; what comes close together is one message."""

    def __init__(self, kernel: Kernel[DownloadsSettings], captchas: Captchas) -> None:
        self._db = kernel.db
        self._captchas = captchas
        self._allowance = AddressPolicy(kernel.settings.allow_private_addresses)
        self._error: Problem | None = None
        # What was there already at the first look is no news.
        self._seen: Scene | None = None
        self._asked: set[str] = set()
        self._looked_at = 0

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
        if self._seen is None:
            await self._news()
        return await self.shown()

    async def test(self, url: str) -> None:
        now = await self._db.read(store.settings)
        await self._send(_unmasked(url, now.targets), TITLE[now.language], TEST[now.language])

    async def look(self) -> None:
        """What is new since the last look, as one message to each who wants to know."""
        settings = await self._db.read(store.settings)
        if not settings.targets:
            self._seen = None
            return
        news = await self._news()
        for target in settings.targets:
            lines = [line(each, settings.language) for each in news if each[0] in target.occasions]
            if len(lines) > MOST_LINES:
                more = MORE[settings.language].format(count=len(lines) - MOST_LINES)
                lines = [*lines[:MOST_LINES], more]
            if lines:
                await self._tell(target, TITLE[settings.language], "\n".join(lines))

    async def _news(self) -> list[News]:
        before, since = self._seen, self._looked_at - OVERLAP_MS
        self._looked_at = now_ms()
        now = self._seen = await self._db.read(store.scene, since)
        asked, waiting = self._asked, {each.id: each for each in self._captchas.waiting()}
        self._asked = set(waiting)
        if before is None:
            return []
        new = [each for id, each in waiting.items() if id not in asked]
        return [
            *(News("captcha", each.name or each.link or "") for each in new),
            *(News("disk_full", now.full[id]) for id in now.full.keys() - before.full),
            *(News("failed", *now.failed[id]) for id in now.failed.keys() - before.failed),
            *(News("finished", now.finished[id]) for id in now.finished.keys() - before.finished),
        ]

    async def _tell(self, target: Target, title: str, body: str) -> None:
        """One that fails keeps the others from nothing."""
        try:
            await self._send(target.url, title, body)
        except AppError as error:
            log.warning("%s is not told: %s", target.name, error)
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
