"""A mail server that records what it receives."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.client import Client
from tests.real_servers import free_port

ACCOUNT_MAILS = "account mails"


class Mailbox:
    """Records mails; `refusals` are replied first, one per mail."""

    def __init__(self) -> None:
        self.refusals: list[str] = []
        self.tried = 0
        self._loop = asyncio.get_running_loop()
        self._arrived: asyncio.Queue[EmailMessage] = asyncio.Queue()
        self.port = free_port()

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:
        """Called in the server's own thread."""
        self.tried += 1
        if self.refusals:
            return self.refusals.pop(0)
        content = envelope.content
        raw = content if isinstance(content, bytes) else (content or "").encode()
        message = message_from_bytes(raw, _class=EmailMessage, policy=policy.default)
        message["X-To"] = ", ".join(envelope.rcpt_tos)
        self._loop.call_soon_threadsafe(self._arrived.put_nowait, message)
        return "250 OK"

    async def next(self) -> EmailMessage:
        return await asyncio.wait_for(self._arrived.get(), 60)

    @property
    def empty(self) -> bool:
        return self._arrived.empty()

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "smtp_host": "127.0.0.1",
            "smtp_port": self.port,
            "smtp_security": "none",
            "mail_from": "Wind <wind@example.org>",
        }


@asynccontextmanager
async def mailbox() -> AsyncIterator[Mailbox]:
    box = Mailbox()
    controller = Controller(box, hostname="127.0.0.1", port=box.port)
    await asyncio.to_thread(controller.start)
    try:
        yield box
    finally:
        await asyncio.to_thread(controller.stop)


@asynccontextmanager
async def account_mails_loop(client: Client) -> AsyncIterator[None]:
    """Run only the loop that sends account mails."""
    (loop,) = [each for each in client.started.built.background_tasks if each.name == ACCOUNT_MAILS]
    task = asyncio.ensure_future(loop.run())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def text_of(message: EmailMessage) -> str:
    body = message.get_body(("plain",))
    assert body is not None
    text: str = body.get_content()
    return text


def token_in(message: EmailMessage, page: str) -> str:
    found = re.search(rf"http://localhost:8450/{page}\?token=(\w+)", text_of(message))
    assert found is not None, text_of(message)
    return found[1]
