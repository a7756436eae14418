"""Sends one message and records the outcome."""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

import msgspec

from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.wind.alerts import texts
from quartet.wind.alerts.store_messages import DueMessage
from quartet.wind.alerts.texts import MailLinks
from quartet.wind.alerts.types import State
from quartet.wind.alerts.unsubscribe import UnsubscribeTarget, UnsubscribeTokens
from quartet.wind.mail.service import is_permanent
from quartet.wind.push.types import PushMessage, PushResult

log = logging.getLogger("quartet.wind.alerts")

FIRST_WAIT = 60
LAST_WAIT = 1800
_SEND_SECONDS = 60.0
_SHORTEST_TTL = 60


class PushChannel(Protocol):
    async def send(
        self, user: int, message: PushMessage, only: Collection[int] | None = None
    ) -> PushResult: ...


class MailChannel(Protocol):
    @property
    def ready(self) -> bool: ...

    async def send(
        self,
        to: str,
        subject: str,
        text: str,
        *,
        unsubscribe: str | None = None,
        message_id: str | None = None,
    ) -> None: ...


class SendOutcome(NamedTuple):
    """The new state of a message and further columns to update."""

    state: State
    values: Mapping[str, Any] = {}


class MessageLinks:
    """Links in messages; without a public address they only work on the same machine."""

    def __init__(self, site: str, tokens: UnsubscribeTokens) -> None:
        self._site = site
        self._tokens = tokens
        self.host = urlsplit(site).hostname or "localhost"

    @staticmethod
    def path_of(alarm: int) -> str:
        return f"/spots/{alarm}"

    def links(self, target: UnsubscribeTarget) -> MailLinks:
        """Return page links; the unsubscribe page asks first, because scanners open links."""
        token = self._tokens.make(target)
        return MailLinks(
            f"{self._site}{self.path_of(target.alarm)}", f"{self._site}/unsubscribe?token={token}"
        )

    def one_click(self, target: UnsubscribeTarget) -> str:
        """Return the one-click unsubscribe address for mail clients."""
        return f"{self._site}/api/alarms/unsubscribe?token={self._tokens.make(target)}"


class MessageSender:
    """Sends messages with stable ids, so that a repeated attempt replaces the first one.

    After a crash it is unknown whether a message had been sent.
    """

    def __init__(
        self,
        push: PushChannel,
        mail: MailChannel,
        addresses: MessageLinks,
        name_of: Callable[[str], str],
        clock: Callable[[], float],
    ) -> None:
        self._push = push
        self._mail = mail
        self._addresses = addresses
        self._name_of = name_of
        self._clock = clock

    async def send(self, due: DueMessage) -> SendOutcome:
        try:
            async with asyncio.timeout(_SEND_SECONDS):
                if due.key.channel == "push":
                    return await self._by_push(due)
                return await self._by_mail(due)
        except TimeoutError:
            return self._retry(due, Problem("timed_out"))
        except AppError as error:
            return self._fail_or_retry(due, error)
        except Exception as error:
            log.exception("sending message %s failed unexpectedly", due.key.name)
            return self._retry(due, problem_of(error))

    async def _by_push(self, due: DueMessage) -> SendOutcome:
        name = due.key.name
        message = PushMessage(
            title=due.spot,
            body=texts.sentence(due.window, self._name_of(due.model), due.timezone, due.language),
            url=self._addresses.path_of(due.key.alarm),
            tag=f"alarm-{name}",
            ttl=max(_SHORTEST_TTL, due.expires_at - int(self._clock())),
            topic=f"alarm-{name}",
        )
        sent = await self._push.send(due.user, message, due.left_over)
        reached = int(self._clock()) if sent.delivered else due.sent_at
        if sent.retry:
            later = self._retry(due, Problem("push_unreachable"), sent.retry_after)
            values = {**later.values, "sent_at": reached, "left_over": list(sent.retry)}
            return SendOutcome("waiting", values)
        if reached is None:
            return _failed(Problem("no_devices"))
        return SendOutcome("sent", {"sent_at": reached, "error": None, "left_over": None})

    async def _by_mail(self, due: DueMessage) -> SendOutcome:
        if due.email is None:
            return _failed(Problem("email_unconfirmed"))
        target = UnsubscribeTarget(due.key.alarm, due.user)
        links = await asyncio.to_thread(self._addresses.links, target)
        written = texts.mail(
            due.spot, due.window, self._name_of(due.model), due.timezone, due.language, links
        )
        await self._mail.send(
            due.email,
            written.subject,
            written.text,
            unsubscribe=self._addresses.one_click(target),
            message_id=f"<alarm-{due.key.name}@{self._addresses.host}>",
        )
        return SendOutcome("sent", {"sent_at": int(self._clock()), "error": None})

    def _fail_or_retry(self, due: DueMessage, error: AppError) -> SendOutcome:
        """Fail on permanent errors, retry on others."""
        if is_permanent(error):
            return _failed(problem_of(error))
        return self._retry(due, problem_of(error))

    def _retry(self, due: DueMessage, problem: Problem, asked: float | None = None) -> SendOutcome:
        doubled: int = FIRST_WAIT * 2 ** min(due.tried, 10)
        wait = max(min(doubled, LAST_WAIT), int(asked or 0))
        due_at = int(self._clock()) + wait
        return SendOutcome("waiting", {"due_at": due_at, "error": msgspec.to_builtins(problem)})


def _failed(problem: Problem) -> SendOutcome:
    return SendOutcome("failed", {"error": msgspec.to_builtins(problem)})
