"""Sends one message and returns the outcome."""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

import msgspec

from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.kernel.push.types import PushMessage, PushResult
from quartet.wind.alerts import texts
from quartet.wind.alerts.store_messages import DueWindow
from quartet.wind.alerts.texts import ListedWindow, SpotLinks
from quartet.wind.alerts.types import Channel, State
from quartet.wind.alerts.unsubscribe import ALL_ALERTS, UnsubscribeTarget, UnsubscribeTokens
from quartet.wind.mail.service import is_permanent
from quartet.wind.messengers.types import MessengerResult
from quartet.wind.units import WindUnit

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


class MessengerChannel(Protocol):
    async def send(
        self, user: int, title: str, body: str, only: Collection[int] | None = None
    ) -> MessengerResult: ...


class ChannelSenders(NamedTuple):
    push: PushChannel
    mail: MailChannel
    messengers: MessengerChannel


class OutgoingMessage(NamedTuple):
    """One message to one user; `name` is the same for all attempts."""

    name: str
    windows: Sequence[DueWindow]

    @property
    def user(self) -> int:
        return self.windows[0].user

    @property
    def channel(self) -> Channel:
        return self.windows[0].key.channel

    @property
    def language(self) -> str:
        return self.windows[0].language

    @property
    def unit(self) -> WindUnit:
        return self.windows[0].units.wind

    @property
    def alerts(self) -> dict[int, str]:
        """The alerts in this message with the names of their spots."""
        return {each.key.alarm: each.spot for each in self.windows}


class SendOutcome(NamedTuple):
    """The new state of a message and the other columns to update."""

    state: State
    values: Mapping[str, Any] = {}


class MessageLinks:
    """Links in messages; without a public address they only work on the same machine."""

    def __init__(self, site: str, tokens: UnsubscribeTokens) -> None:
        self._site = site
        self._tokens = tokens
        self.host = urlsplit(site).hostname or "localhost"

    @staticmethod
    def path_of(message: OutgoingMessage) -> str:
        """Return the page that a click on the message opens."""
        alerts = list(message.alerts)
        return f"/spots/{alerts[0]}" if len(alerts) == 1 else "/spots"

    def page_of(self, message: OutgoingMessage) -> str:
        return f"{self._site}{self.path_of(message)}"

    def of_spots(self, message: OutgoingMessage) -> list[SpotLinks]:
        return [
            SpotLinks(
                spot,
                f"{self._site}/spots/{alarm}",
                self.unsubscribe_page(UnsubscribeTarget(alarm, message.user)),
            )
            for alarm, spot in message.alerts.items()
        ]

    def unsubscribe_page(self, target: UnsubscribeTarget) -> str:
        """Return the link to a page that asks first, because mail scanners open links."""
        return f"{self._site}/unsubscribe?token={self._tokens.make(target)}"

    def one_click(self, target: UnsubscribeTarget) -> str:
        """Return the one-click unsubscribe address for mail clients."""
        return f"{self._site}/api/alarms/unsubscribe?token={self._tokens.make(target)}"


class MessageSender:
    """Sends messages with stable ids, so that a repeated attempt replaces the first one.

    After a crash it is unknown whether a message had been sent.
    """

    def __init__(
        self,
        senders: ChannelSenders,
        addresses: MessageLinks,
        name_of: Callable[[str], str],
        clock: Callable[[], float],
    ) -> None:
        self._senders = senders
        self._addresses = addresses
        self._name_of = name_of
        self._clock = clock

    async def send(self, message: OutgoingMessage) -> SendOutcome:
        try:
            async with asyncio.timeout(_SEND_SECONDS):
                if message.channel == "push":
                    return await self._by_push(message)
                if message.channel == "messenger":
                    return await self._by_messenger(message)
                return await self._by_mail(message)
        except TimeoutError:
            return self._retry(message, Problem("timed_out"), may_have_arrived=True)
        except AppError as error:
            return self._fail_or_retry(message, error)
        except Exception as error:
            log.exception("sending message %s failed unexpectedly", message.name)
            return self._retry(message, problem_of(error), may_have_arrived=True)

    async def _by_push(self, message: OutgoingMessage) -> SendOutcome:
        written = texts.push_text(self._listed(message), message.language, message.unit)
        last = max(each.expires_at for each in message.windows)
        first = message.windows[0]
        sent = await self._senders.push.send(
            message.user,
            PushMessage(
                title=written.title,
                body=written.body,
                url=self._addresses.path_of(message),
                tag=f"alarm-{message.name}",
                ttl=max(_SHORTEST_TTL, last - int(self._clock())),
                topic=f"alarm-{message.name}",
            ),
            first.left_over,
        )
        if not sent.delivered and not sent.retry and first.sent_at is None:
            return _failed(Problem("no_devices"))
        return self._partly_sent(message, sent, Problem("push_unreachable"), sent.retry_after)

    async def _by_messenger(self, message: OutgoingMessage) -> SendOutcome:
        written = texts.push_text(self._listed(message), message.language, message.unit)
        first = message.windows[0]
        body = f"{written.body}\n{self._addresses.page_of(message)}"
        sent = await self._senders.messengers.send(
            message.user, written.title, body, first.left_over
        )
        if not sent.delivered and not sent.retry and first.sent_at is None:
            return _failed(Problem("no_messengers"))
        return self._partly_sent(message, sent, Problem("messenger_unreachable"))

    def _partly_sent(
        self,
        message: OutgoingMessage,
        sent: PushResult | MessengerResult,
        problem: Problem,
        asked: float | None = None,
    ) -> SendOutcome:
        """Return the outcome of a message to several recipients; retry those not reached."""
        reached = int(self._clock()) if sent.delivered else message.windows[0].sent_at
        if not sent.retry:
            return SendOutcome("sent", {"sent_at": reached, "error": None, "left_over": None})
        arrived = reached is not None
        later = self._retry(message, problem, asked, may_have_arrived=arrived)
        left_over = list(sent.retry) if arrived else None
        return SendOutcome("waiting", {**later.values, "sent_at": reached, "left_over": left_over})

    async def _by_mail(self, message: OutgoingMessage) -> SendOutcome:
        email = message.windows[0].email
        if email is None:
            return _failed(Problem("email_unconfirmed"))
        # In a thread: the first signature reads the key file.
        links = await asyncio.to_thread(self._addresses.of_spots, message)
        several = len(links) > 1
        target = UnsubscribeTarget(
            ALL_ALERTS if several else message.windows[0].key.alarm, message.user
        )
        written = texts.mail_text(
            self._listed(message),
            links,
            self._addresses.unsubscribe_page(target) if several else None,
            message.language,
            message.unit,
        )
        await self._senders.mail.send(
            email,
            written.title,
            written.body,
            unsubscribe=self._addresses.one_click(target),
            message_id=f"<alarm-{message.name}@{self._addresses.host}>",
        )
        return SendOutcome("sent", {"sent_at": int(self._clock()), "error": None})

    def _listed(self, message: OutgoingMessage) -> list[ListedWindow]:
        return [
            ListedWindow(
                each.kind,
                each.key.alarm,
                each.spot,
                each.window,
                each.model if each.kind == "measured" else self._name_of(each.model),
                each.timezone,
            )
            for each in message.windows
        ]

    def _fail_or_retry(self, message: OutgoingMessage, error: AppError) -> SendOutcome:
        """Fail on permanent errors, retry on others."""
        if is_permanent(error):
            return _failed(problem_of(error))
        return self._retry(message, problem_of(error), may_have_arrived=False)

    def _retry(
        self,
        message: OutgoingMessage,
        problem: Problem,
        asked: float | None = None,
        *,
        may_have_arrived: bool,
    ) -> SendOutcome:
        """Try again later; a message that did not arrive may then contain more windows."""
        tried = max(each.tried for each in message.windows)
        doubled: int = FIRST_WAIT * 2 ** min(tried, 10)
        wait = max(min(doubled, LAST_WAIT), int(asked or 0))
        values: dict[str, Any] = {
            "due_at": int(self._clock()) + wait,
            "error": msgspec.to_builtins(problem),
        }
        if not may_have_arrived:
            values["bundle"] = None
        return SendOutcome("waiting", values)


def _failed(problem: Problem) -> SendOutcome:
    return SendOutcome("failed", {"error": msgspec.to_builtins(problem)})
