import asyncio
import logging
from collections.abc import Awaitable, Sequence
from typing import Any

from quartet.kernel.address_policy import AddressPolicy
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError, problem_of
from quartet.kernel.service import Kernel
from quartet.media.jobs.rows import News
from quartet.media.notify import apprise, store
from quartet.media.notify.masking import masked, merged
from quartet.media.notify.servers import refresh
from quartet.media.notify.texts import text_of
from quartet.media.notify.types import (
    HookedFile,
    Message,
    Notification,
    Notifications,
    NotificationTest,
    TestResult,
    Webhook,
)
from quartet.media.options.service import OptionsService
from quartet.media.roots.texts import path_text

log = logging.getLogger("quartet.media.notify")

_MOST_WAITING = 1000
_MOST_FOLDERS = 100
_SECONDS = 10.0
_TEST = Message(event="test", job_id=0, kind="manual")


class Notifier:
    """Tells people and media servers; what fails is logged and holds nobody up."""

    def __init__(self, kernel: Kernel[Any], options: OptionsService) -> None:
        self._db = kernel.db
        self._kernel = kernel
        self._options = options
        self._allowance = AddressPolicy(kernel.settings.allow_private_addresses)
        self._queue: asyncio.Queue[News] = asyncio.Queue(_MOST_WAITING)

    async def shown(self) -> Notifications:
        return masked(await self._db.read(store.current))

    async def replace(self, given: Notifications) -> Notifications:
        old = await self._db.read(store.current)
        value = merged(given, old)
        for one in value.notifications:
            if one not in old.notifications:
                await asyncio.to_thread(apprise.check, one.url, self._allowance)

        def work(tx: Tx) -> None:
            store.replace(tx.conn, value)

        await self._db.write(work)
        return masked(value)

    async def test(self, given: NotificationTest) -> TestResult:
        current = await self._db.read(store.current)
        chosen = getattr(current, given.list)[given.index : given.index + 1]
        if not chosen:
            raise AppError(404, "notification_not_found", index=given.index)
        try:
            if given.list == "notifications":
                await self._notify(chosen[0], _TEST)
            elif given.list == "webhooks":
                await self._post(chosen[0], _TEST)
            else:
                await refresh(self._kernel.outbound, chosen[0], [])
        except AppError as error:
            return TestResult(False, problem_of(error))
        return TestResult(True)

    def tell(self, news: News) -> None:
        try:
            self._queue.put_nowait(news)
        except asyncio.QueueFull:
            log.warning("nobody was told about job %d: too much waits", news.job.id)

    async def run(self) -> None:
        while True:
            await self._deliver(await self._queue.get())

    async def _deliver(self, news: News) -> None:
        current = await self._db.read(store.current)
        message = _message(news)
        work: list[Awaitable[None]] = [
            self._notify(one, message)
            for one in current.notifications
            if news.occasion in one.occasions
        ]
        work += [
            self._post(one, message) for one in current.webhooks if news.occasion in one.occasions
        ]
        if news.done:
            folders = _folders(news)
            work += [refresh(self._kernel.outbound, one, folders) for one in current.servers]
        for result in await asyncio.gather(*work, return_exceptions=True):
            if isinstance(result, AppError):
                log.warning("somebody was not told about job %d: %s", news.job.id, result)
            elif isinstance(result, BaseException):
                log.error("telling about job %d failed", news.job.id, exc_info=result)

    async def _notify(self, one: Notification, message: Message) -> None:
        language = (await self._options.current()).language
        await asyncio.to_thread(apprise.send, one.url, text_of(message, language), self._allowance)

    async def _post(self, one: Webhook, message: Message) -> None:
        headers = {"Authorization": f"Bearer {one.token}"} if one.token else {}
        answer = await self._kernel.outbound.post(
            one.url, json=message, headers=headers, timeout=_SECONDS
        )
        if not answer.ok:
            raise AppError(502, "webhook_refused", status=answer.status)


def _message(news: News) -> Message:
    return Message(
        event=news.occasion,
        job_id=news.job.id,
        kind=news.job.kind,
        done=news.done,
        failed=news.failed,
        waiting=news.waiting,
        error=news.job.error,
        files=[HookedFile(path_text(source), path_text(target)) for source, target in news.files],
    )


def _folders(news: News) -> Sequence[str]:
    """Where something is new; nothing when that is too much to name."""
    found = list(dict.fromkeys(target.rpartition("/")[0] for _, target in news.files))
    whole = len(news.files) < news.done or len(found) > _MOST_FOLDERS
    return [] if whole else found
