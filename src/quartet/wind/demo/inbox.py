"""The inbox of the demo: alerts arrive as files, since there is no mail server."""

import asyncio
import logging
import time
from pathlib import Path

from quartet.wind.mail.message import build_message

log = logging.getLogger("quartet.wind.demo")

_SENDER = "Wind <wind@example.org>"
_MOST_MAILS = 100


class DemoInbox:
    """Takes the place of the mail server for alerts; other mails are not sent in the demo."""

    ready = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def send(
        self,
        to: str,
        subject: str,
        text: str,
        *,
        unsubscribe: str | None = None,
        message_id: str | None = None,
    ) -> None:
        message = build_message(to, subject, text, _SENDER, unsubscribe, message_id)
        path = await asyncio.to_thread(self._write, bytes(message))
        log.info("alert written to %s", path)

    def _write(self, mail: bytes) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{time.time_ns()}.eml"
        path.write_bytes(mail)
        for old in sorted(self._folder.glob("*.eml"))[:-_MOST_MAILS]:
            old.unlink(missing_ok=True)
        return path
