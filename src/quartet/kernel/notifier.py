"""Sends a service's notifications: checks and masks addresses, and bundles lines into messages.

A service supplies its events and one line of text for each of them. `quartet.sync.notices` is an
example.
"""

import asyncio
import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, Protocol, TypeVar

from msgspec.structs import replace

from quartet.kernel import notifications
from quartet.kernel.address_policy import AddressPolicy
from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.kernel.notifications import MASK, mask_url, scheme_of

log = logging.getLogger("quartet.notifications")

Language = Literal["en", "de"]
MAX_LINES = 20

_MORE: Mapping[Language, str] = {"en": "and {count} more", "de": "und {count} weitere"}
TEST: Mapping[Language, str] = {
    "en": "This is a test message.",
    "de": "Dies ist eine Testnachricht.",
}


class NotificationTarget(Protocol):
    """A recipient, as a service stores it."""

    @property
    def name(self) -> str: ...

    @property
    def url(self) -> str: ...


T = TypeVar("T", bound=NotificationTarget)


class Notifier:
    """Sends messages through Apprise; `titles` names the service in each language."""

    def __init__(
        self,
        policy: AddressPolicy,
        titles: Mapping[Language, str],
        schemes: Collection[str] | None = None,
    ) -> None:
        self._policy = policy
        self._titles = titles
        # The services that may be used; None for all.
        self._schemes = schemes
        # Why the last message could not be sent, for the settings page.
        self.error: Problem | None = None

    async def check(self, url: str) -> None:
        """Reject URLs that Apprise does not support and hosts that must not be contacted."""
        verdict = await asyncio.to_thread(notifications.check_url, url, self._policy, self._schemes)
        if verdict == "unknown":
            raise AppError(400, "notification_address_invalid", scheme=scheme_of(url))
        if verdict == "forbidden":
            raise AppError(403, "notification_address_forbidden", scheme=scheme_of(url))

    async def restored(self, given: Sequence[T], stored: Sequence[T]) -> list[T]:
        """Return the given targets with the stored URLs of masked ones, and check all of them."""
        urls = [each.url for each in stored]
        targets = [_with_url(each, restore_url(each.url, urls)) for each in given]
        for target in targets:
            await self.check(target.url)
        return targets

    async def send(self, url: str, title: str, body: str) -> None:
        await self.check(url)
        if not await asyncio.to_thread(notifications.send, url, title, body, self._policy):
            raise AppError(502, "notification_not_sent", scheme=scheme_of(url))
        log.info("sent a notification via %s", scheme_of(url))

    async def send_test(self, url: str, language: Language) -> None:
        await self.send(url, self._titles[language], TEST[language])

    async def send_lines(
        self, target: NotificationTarget, lines: Sequence[str], language: Language
    ) -> None:
        """Send all lines as one message. A failure is logged and kept in `error`."""
        try:
            await self.send(target.url, self._titles[language], bundle(lines, language))
        except AppError as error:
            log.warning("could not notify %s: %s", target.name, error)
            self.error = problem_of(error)
        else:
            self.error = None


def masked(targets: Sequence[T]) -> list[T]:
    """Return the targets as the settings page shows them."""
    return [_with_url(each, mask_url(each.url)) for each in targets]


def bundle(lines: Sequence[str], language: Language, most: int = MAX_LINES) -> str:
    """Return the text of a message with all lines, or with the first ones and a count."""
    shown = list(lines[:most])
    if len(lines) > most:
        shown.append(_MORE[language].format(count=len(lines) - most))
    return "\n".join(shown)


def restore_url(url: str, stored: Iterable[str]) -> str:
    """Return the stored URL that a masked one stands for; other URLs are returned trimmed."""
    if MASK not in url:
        return url.strip()
    found = next((each for each in stored if mask_url(each) == url), None)
    if found is None:
        raise AppError(400, "notification_address_unknown", url=url)
    return found


def _with_url(target: T, url: str) -> T:
    return replace(target, url=url)  # type: ignore[type-var]
