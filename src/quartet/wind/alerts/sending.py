"""One message on its way, and what became of it."""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

import msgspec

from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.wind.alerts import texts
from quartet.wind.alerts.store_messages import Due
from quartet.wind.alerts.texts import Links
from quartet.wind.alerts.types import State
from quartet.wind.alerts.unsubscribe import Meant, Tokens
from quartet.wind.mail.service import is_for_good
from quartet.wind.push.types import Message, Sent

log = logging.getLogger("quartet.wind.alerts")

FIRST_WAIT = 60
LAST_WAIT = 1800
_SEND_SECONDS = 60.0
_SHORTEST_TTL = 60


class Pusher(Protocol):
    async def send(
        self, user: int, message: Message, only: Collection[int] | None = None
    ) -> Sent: ...


class Mailer(Protocol):
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


class Outcome(NamedTuple):
    """The state a message comes into, and what else is to be written down."""

    state: State
    values: Mapping[str, Any] = {}


class Addresses:
    """Of pages, for messages; without a public address they only work on the same machine."""

    def __init__(self, site: str, tokens: Tokens) -> None:
        self._site = site
        self._tokens = tokens
        self.host = urlsplit(site).hostname or "localhost"

    @staticmethod
    def path_of(alarm: int) -> str:
        return f"/spots/{alarm}"

    def links(self, meant: Meant) -> Links:
        """For people: a page asks before anything happens, since programs open links as well."""
        token = self._tokens.make(meant)
        return Links(
            f"{self._site}{self.path_of(meant.alarm)}", f"{self._site}/unsubscribe?token={token}"
        )

    def one_click(self, meant: Meant) -> str:
        """For mail programs."""
        return f"{self._site}/api/alarms/unsubscribe?token={self._tokens.make(meant)}"


class Sending:
    """Every attempt looks the same to those who receive it, so a repeated one replaces the first:
    after a crash nobody can know whether a message had left already."""

    def __init__(
        self,
        push: Pusher,
        mail: Mailer,
        addresses: Addresses,
        name_of: Callable[[str], str],
        clock: Callable[[], float],
    ) -> None:
        self._push = push
        self._mail = mail
        self._addresses = addresses
        self._name_of = name_of
        self._clock = clock

    async def send(self, due: Due) -> Outcome:
        try:
            async with asyncio.timeout(_SEND_SECONDS):
                if due.key.channel == "push":
                    return await self._by_push(due)
                return await self._by_mail(due)
        except TimeoutError:
            return self._later(due, Problem("timed_out"))
        except AppError as error:
            return self._refused(due, error)
        except Exception as error:
            log.exception("a message could not be sent")
            return self._later(due, problem_of(error))

    async def _by_push(self, due: Due) -> Outcome:
        name = due.key.name
        message = Message(
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
            later = self._later(due, Problem("push_unreachable"), sent.retry_after)
            values = {**later.values, "sent_at": reached, "left_over": list(sent.retry)}
            return Outcome("waiting", values)
        if reached is None:
            return _failed(Problem("no_devices"))
        return Outcome("sent", {"sent_at": reached, "error": None, "left_over": None})

    async def _by_mail(self, due: Due) -> Outcome:
        if due.email is None:
            return _failed(Problem("email_unconfirmed"))
        meant = Meant(due.key.alarm, due.user)
        links = await asyncio.to_thread(self._addresses.links, meant)
        written = texts.mail(
            due.spot, due.window, self._name_of(due.model), due.timezone, due.language, links
        )
        await self._mail.send(
            due.email,
            written.subject,
            written.text,
            unsubscribe=self._addresses.one_click(meant),
            message_id=f"<alarm-{due.key.name}@{self._addresses.host}>",
        )
        return Outcome("sent", {"sent_at": int(self._clock()), "error": None})

    def _refused(self, due: Due, error: AppError) -> Outcome:
        """Some errors stay as they are, however often one tries."""
        if is_for_good(error):
            return _failed(problem_of(error))
        return self._later(due, problem_of(error))

    def _later(self, due: Due, problem: Problem, asked: float | None = None) -> Outcome:
        doubled: int = FIRST_WAIT * 2 ** min(due.tried, 10)
        wait = max(min(doubled, LAST_WAIT), int(asked or 0))
        due_at = int(self._clock()) + wait
        return Outcome("waiting", {"due_at": due_at, "error": msgspec.to_builtins(problem)})


def _failed(problem: Problem) -> Outcome:
    return Outcome("failed", {"error": msgspec.to_builtins(problem)})
