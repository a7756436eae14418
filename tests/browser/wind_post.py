"""The mailbox of somebody at a browser."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal

from tests.wind.mailbox import Mailbox, mailbox, text_of


class Post:
    def __init__(self, beside: BlockingPortal, box: Mailbox) -> None:
        self._beside, self._box = beside, box

    @property
    def settings(self) -> dict[str, Any]:
        return self._box.settings

    def next_to(self, address: str) -> EmailMessage:
        """Mails to others are passed over."""
        while True:
            mail: EmailMessage = self._beside.call(self._box.next)
            if mail["X-To"] == address:
                return mail


def link_in(mail: EmailMessage, page: str) -> str:
    found = re.search(rf"http://\S+/{page}\?token=[\w-]+", text_of(mail))
    assert found is not None, text_of(mail)
    return found[0]


@contextmanager
def post() -> Iterator[Post]:
    """In a thread of its own: mails arrive while a test waits for the page."""
    with (
        start_blocking_portal() as beside,
        beside.wrap_async_context_manager(mailbox()) as box,
    ):
        yield Post(beside, box)
