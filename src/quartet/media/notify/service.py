import asyncio
import hashlib
import hmac
import logging
from collections.abc import Awaitable, Sequence
from typing import Any

import msgspec

from quartet.kernel.address_policy import AddressPolicy
from quartet.kernel.conditions import Condition
from quartet.kernel.conditions.texts import lines as condition_lines
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError, problem_of
from quartet.kernel.notifications import permits_host, scheme_of
from quartet.kernel.notifier import Language, Notifier
from quartet.kernel.push.notices import BrowserNotices
from quartet.kernel.service import Kernel
from quartet.media.jobs.records import JobResult
from quartet.media.notify import store
from quartet.media.notify.job_message import job_message
from quartet.media.notify.masking import masked, merged
from quartet.media.notify.media_servers import refresh
from quartet.media.notify.messages import TITLES, message_text
from quartet.media.notify.private_addresses import allowed_addresses, private_client
from quartet.media.notify.scripts import ScriptFolder
from quartet.media.notify.types import (
    AvailableScripts,
    MediaServer,
    Notification,
    Notifications,
    NotificationTest,
    Script,
    TestResult,
    Webhook,
    WebhookMessage,
)
from quartet.media.options.service import OptionsService

log = logging.getLogger("quartet.media.notify")

_MOST_WAITING = 1000
_MOST_FOLDERS = 100
_SECONDS = 10.0
# The page that opens with a message.
_PAGES = {"done": "/history", "inbox": "/inbox"}
_TEST = WebhookMessage(event="test", job_id=0, kind="manual")


class JobNotifier:
    """Notifies people and media servers. Failures are logged and do not block jobs."""

    def __init__(
        self, kernel: Kernel[Any], options: OptionsService, browsers: BrowserNotices
    ) -> None:
        self._db = kernel.db
        self._scripts = ScriptFolder(kernel.settings.scripts)
        self._kernel = kernel
        self._options = options
        self._browsers = browsers
        self._queue: asyncio.Queue[JobResult] = asyncio.Queue(_MOST_WAITING)

    async def current_masked(self) -> Notifications:
        return masked(await self._db.read(store.current))

    async def available_scripts(self) -> AvailableScripts:
        return AvailableScripts(await asyncio.to_thread(self._scripts.names))

    async def replace(self, given: Notifications) -> Notifications:
        old = await self._db.read(store.current)
        value = merged(given, old)
        for script in value.scripts:
            if script not in old.scripts:
                await asyncio.to_thread(self._scripts.find, script.name)
        for one in value.notifications:
            if one not in old.notifications:
                await self._notifier(one).check(one.url)
        before: list[Webhook | MediaServer] = [*old.webhooks, *old.servers]
        after: list[Webhook | MediaServer] = [*value.webhooks, *value.servers]
        for other in after:
            if other not in before:
                await self._check(other)

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
            elif given.list == "scripts":
                await self._scripts.run(chosen[0], _TEST)
            else:
                await self._refresh(chosen[0], [])
        except AppError as error:
            return TestResult(False, problem_of(error))
        return TestResult(True)

    async def report_problems(self, began: Sequence[Condition], ended: Sequence[Condition]) -> None:
        """Tell the recipients of failures about problems of the service.

        Webhooks are about jobs only.
        """
        language = await self._language()
        lines = condition_lines(began, ended, language)
        await self._browsers.send_lines(lines, language, "/system")
        for one in (await self._db.read(store.current)).notifications:
            if "failed" in one.occasions:
                await self._notifier(one).send_lines(one, lines, language)

    def enqueue(self, result: JobResult) -> None:
        try:
            self._queue.put_nowait(result)
        except asyncio.QueueFull:
            log.warning("notification queue full, dropped notification for job %d", result.job.id)

    async def run(self) -> None:
        while True:
            await self._deliver(await self._queue.get())

    async def _run_scripts(self, scripts: Sequence[Script], message: WebhookMessage) -> None:
        """Run them one after the other, because the next one may need what the last one did."""
        for one in scripts:
            await self._scripts.run(one, message)

    async def _deliver(self, result: JobResult) -> None:
        current = await self._db.read(store.current)
        message = job_message(result)
        work: list[Awaitable[None]] = [
            self._notify(one, message)
            for one in current.notifications
            if result.occasion in one.occasions
        ]
        work += [
            self._post(one, message) for one in current.webhooks if result.occasion in one.occasions
        ]
        scripts = [one for one in current.scripts if result.occasion in one.occasions]
        work.append(self._run_scripts(scripts, message))
        work.append(self._notify_browsers(message))
        if result.done:
            folders = _folders(result)
            work += [self._refresh(one, folders) for one in current.servers]
        for error in await asyncio.gather(*work, return_exceptions=True):
            if isinstance(error, AppError):
                log.warning("notification for job %d failed: %s", result.job.id, error)
            elif isinstance(error, BaseException):
                log.error("notification for job %d failed", result.job.id, exc_info=error)

    async def _language(self) -> Language:
        return "de" if (await self._options.current()).language == "de" else "en"

    async def _notify_browsers(self, message: WebhookMessage) -> None:
        language = await self._language()
        lines = message_text(message, language).body.splitlines()
        await self._browsers.send_lines(lines, language, _PAGES.get(message.event, "/"))

    async def _notify(self, one: Notification, message: WebhookMessage) -> None:
        language = (await self._options.current()).language
        text = message_text(message, language)
        await self._notifier(one).send(one.url, text.title, text.body)

    async def _refresh(self, server: MediaServer, folders: Sequence[str]) -> None:
        async with private_client(self._kernel, server) as outbound:
            await refresh(outbound, server, folders)

    async def _post(self, one: Webhook, message: WebhookMessage) -> None:
        body = msgspec.json.encode(message)
        own = {"Authorization": f"Bearer {one.token}"} if one.token else {}
        async with private_client(self._kernel, one) as outbound:
            answer = await outbound.post(
                one.url,
                body=body,
                headers={"Content-Type": "application/json"},
                own_headers=own | _signature_headers(one.signing_key, body),
                timeout=_SECONDS,
            )
        if not answer.ok:
            raise AppError(502, "webhook_refused", status=answer.status)

    def _notifier(self, one: Notification) -> Notifier:
        return Notifier(AddressPolicy(allowed_addresses(self._kernel, one)), TITLES)

    async def _check(self, one: Webhook | MediaServer) -> None:
        policy = AddressPolicy(allowed_addresses(self._kernel, one))
        if not await asyncio.to_thread(permits_host, one.url, policy):
            raise AppError(403, "notification_address_forbidden", scheme=scheme_of(one.url))


def _folders(result: JobResult) -> Sequence[str]:
    """Return the changed folders; empty if there are too many, to refresh everything."""
    found = list(dict.fromkeys(target.rpartition("/")[0] for _, target in result.files))
    whole = len(result.files) < result.done or len(found) > _MOST_FOLDERS
    return [] if whole else found


def _signature_headers(key: str, body: bytes) -> dict[str, str]:
    """Return the header by which a recipient recognises our messages; none without a key."""
    if not key:
        return {}
    digest = hmac.new(key.encode(), body, hashlib.sha256).hexdigest()
    return {"X-Quartet-Signature": f"sha256={digest}"}
