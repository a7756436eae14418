"""Sends the notifications of a service without accounts to its subscribed browsers."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence

from quartet.kernel.clock import now_ms
from quartet.kernel.errors import AppError
from quartet.kernel.notifier import TEST, Language, bundle
from quartet.kernel.push.service import Push
from quartet.kernel.push.types import PushMessage

log = logging.getLogger("quartet.notifications")

# The user of a service without accounts.
ONLY_USER = 1
# What a phone shows without cutting the text; a message also has to fit into 4096 bytes.
_MOST_LINES = 5
_LONGEST_LINE = 160


class BrowserNotices:
    """Sends lines to all subscribed browsers; `titles` names the service in each language."""

    def __init__(self, push: Push, titles: Mapping[Language, str]) -> None:
        self._push = push
        self._titles = titles

    def on_subscribe(self, listener: Callable[[], Awaitable[object]]) -> None:
        self._push.listeners.append(listener)

    async def send_lines(self, lines: Sequence[str], language: Language, url: str = "/") -> None:
        """Send all lines as one message that opens `url`. A failure is logged."""
        if not lines:
            return
        short = [_shortened(each) for each in lines]
        sent = await self._push.send(
            ONLY_USER,
            PushMessage(
                title=self._titles[language],
                body=bundle(short, language, _MOST_LINES),
                url=url,
                # A later message must not replace this one.
                tag=str(now_ms()),
            ),
        )
        if sent.delivered:
            log.info("sent a notification to %d browsers", sent.delivered)
        if sent.failed:
            log.warning("could not notify %d browsers", sent.failed)

    async def send_test(self, language: Language) -> None:
        message = PushMessage(
            title=self._titles[language], body=TEST[language], url="/", tag="test", ttl=60
        )
        if not await self.wanted():
            raise AppError(409, "no_subscription")
        sent = await self._push.send(ONLY_USER, message)
        if not sent.delivered:
            raise AppError(502, "push_not_sent", failed=sent.failed)

    async def wanted(self) -> bool:
        """Return whether any browser is subscribed."""
        return (await self._push.counts()).subscriptions > 0


def _shortened(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1] + "…"
