"""Messages to the admins when a problem of the service begins or ends."""

import logging
from collections.abc import Mapping, Sequence

from quartet.kernel.conditions import Condition
from quartet.kernel.conditions.texts import lines
from quartet.kernel.db import Database
from quartet.kernel.errors import AppError
from quartet.kernel.notifier import Language
from quartet.wind.admin import store
from quartet.wind.mail.service import Mail
from quartet.wind.messengers.service import Messengers

log = logging.getLogger("quartet.wind.admin")

_SUBJECTS: Mapping[Language, str] = {"en": "Wind: problems", "de": "Wind: Probleme"}


class ProblemMessages:
    """Sent by e-mail, and to the messengers of the admins, which work without a mail server."""

    def __init__(self, db: Database, mail: Mail, messengers: Messengers) -> None:
        self._db, self._mail, self._messengers = db, mail, messengers

    async def send(self, began: Sequence[Condition], ended: Sequence[Condition]) -> None:
        for admin in await self._db.read(store.active_admins):
            language: Language = "de" if admin.language == "de" else "en"
            title, text = _SUBJECTS[language], "\n".join(lines(began, ended, language))
            sent = await self._messengers.send(admin.id, title, text)
            if sent.retry:
                log.warning("could not notify %d messengers of problems", len(sent.retry))
            if admin.email is not None and self._mail.ready:
                await self._send_mail(admin.email, title, f"{text}\n")

    async def _send_mail(self, address: str, title: str, text: str) -> None:
        try:
            await self._mail.send(address, title, text)
        except AppError as error:
            log.warning("could not send a mail about problems: %s", error)
