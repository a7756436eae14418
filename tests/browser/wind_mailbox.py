"""A test mailbox."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal

from tests.wind.mailbox import Mailbox, mailbox, text_of


class BrowserMailbox:
    def __init__(self, portal: BlockingPortal, box: Mailbox) -> None:
        self._portal, self._box = portal, box

    @property
    def settings(self) -> dict[str, Any]:
        return self._box.settings

    def next_to(self, address: str) -> EmailMessage:
        """Return the next e-mail to the address; others are skipped."""
        while True:
            mail: EmailMessage = self._portal.call(self._box.next)
            if mail["X-To"] == address:
                return mail


def link_in(mail: EmailMessage, page: str) -> str:
    found = re.search(rf"http://\S+/{page}\?token=[\w-]+", text_of(mail))
    assert found is not None, text_of(mail)
    return found[0]


@contextmanager
def start_mailbox() -> Iterator[BrowserMailbox]:
    """Run the mail server in its own thread: e-mails arrive while a test waits for the page."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(mailbox()) as box,
    ):
        yield BrowserMailbox(portal, box)
