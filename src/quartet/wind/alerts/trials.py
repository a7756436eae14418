"""Messages somebody sends to themselves, to see whether they arrive."""

from collections.abc import Awaitable, Callable

from quartet.kernel.db import Database
from quartet.kernel.errors import AppError, problem_of
from quartet.wind.alerts import store
from quartet.wind.alerts.sending import Mailer, Pusher
from quartet.wind.alerts.store import Person
from quartet.wind.alerts.texts import words_of
from quartet.wind.alerts.types import Channel, Channels, TrialResult
from quartet.wind.push.types import Message

_TTL = 600


class Trials:
    def __init__(self, db: Database, push: Pusher, mail: Mailer) -> None:
        self._db = db
        self._push = push
        self._mail = mail

    async def send(self, user: int, channels: Channels) -> list[TrialResult]:
        person = await self._db.read(store.person, user)
        if person is None:
            raise AppError(401, "signed_out")
        results = []
        if channels.push:
            results.append(await _result("push", self._by_push, person))
        if channels.email:
            results.append(await _result("email", self._by_mail, person))
        if not results:
            raise AppError(400, "no_channel")
        return results

    async def _by_push(self, person: Person) -> int:
        words = words_of(person.language)
        message = Message(
            title=words.test_title, body=words.test_body, url="/spots", tag="test", ttl=_TTL
        )
        sent = await self._push.send(person.user, message)
        if sent.retry and not sent.delivered:
            raise AppError(502, "push_unreachable")
        if not sent.delivered:
            raise AppError(409, "no_devices")
        return sent.delivered

    async def _by_mail(self, person: Person) -> None:
        if person.email is None:
            raise AppError(409, "email_unconfirmed")
        words = words_of(person.language)
        await self._mail.send(person.email, words.test_title, words.test_mail)


async def _result(
    channel: Channel, send: Callable[[Person], Awaitable[int | None]], person: Person
) -> TrialResult:
    try:
        return TrialResult(channel, True, await send(person))
    except AppError as error:
        return TrialResult(channel, False, error=problem_of(error))
