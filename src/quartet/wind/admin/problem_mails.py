"""Mails to the admins when a problem of the service begins or ends."""

import logging
from collections.abc import Mapping, Sequence

from quartet.kernel.conditions import Condition
from quartet.kernel.conditions.texts import lines
from quartet.kernel.db import Database
from quartet.kernel.errors import AppError
from quartet.kernel.notifier import Language
from quartet.wind.admin import store
from quartet.wind.mail.service import Mail

log = logging.getLogger("quartet.wind.admin")

_SUBJECTS: Mapping[Language, str] = {"en": "Wind: problems", "de": "Wind: Probleme"}


class ProblemMails:
    def __init__(self, db: Database, mail: Mail) -> None:
        self._db, self._mail = db, mail

    async def send(self, began: Sequence[Condition], ended: Sequence[Condition]) -> None:
        if not self._mail.ready:
            return
        for address, chosen in await self._db.read(store.admin_addresses):
            language: Language = "de" if chosen == "de" else "en"
            text = "\n".join(lines(began, ended, language)) + "\n"
            try:
                await self._mail.send(address, _SUBJECTS[language], text)
            except AppError as error:
                log.warning("could not send a mail about problems: %s", error)
