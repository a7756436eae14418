"""Sends test messages."""

from collections.abc import Awaitable, Callable

from quartet.kernel.db import Database
from quartet.kernel.errors import AppError, problem_of
from quartet.kernel.push.types import PushMessage
from quartet.wind.alerts import store
from quartet.wind.alerts.message_sender import ChannelSenders
from quartet.wind.alerts.store import Recipient
from quartet.wind.alerts.texts import texts_of
from quartet.wind.alerts.types import Channel, ChosenChannels, TrialResult

_TTL = 600


class TrialMessages:
    def __init__(self, db: Database, senders: ChannelSenders) -> None:
        self._db = db
        self._senders = senders

    async def send(self, user: int, channels: ChosenChannels) -> list[TrialResult]:
        recipient = await self._db.read(store.recipient, user)
        if recipient is None:
            raise AppError(401, "signed_out")
        results = []
        if channels.push:
            results.append(await _result("push", self._by_push, recipient))
        if channels.email:
            results.append(await _result("email", self._by_mail, recipient))
        if channels.messenger:
            results.append(await _result("messenger", self._by_messenger, recipient))
        if not results:
            raise AppError(400, "no_channel")
        return results

    async def _by_push(self, recipient: Recipient) -> int:
        texts = texts_of(recipient.language)
        message = PushMessage(
            title=texts.test_title, body=texts.test_body, url="/spots", tag="test", ttl=_TTL
        )
        sent = await self._senders.push.send(recipient.user, message)
        if sent.retry and not sent.delivered:
            raise AppError(502, "push_unreachable")
        if not sent.delivered:
            raise AppError(409, "no_devices")
        return sent.delivered

    async def _by_mail(self, recipient: Recipient) -> None:
        if recipient.email is None:
            raise AppError(409, "email_unconfirmed")
        texts = texts_of(recipient.language)
        await self._senders.mail.send(recipient.email, texts.test_title, texts.test_mail)

    async def _by_messenger(self, recipient: Recipient) -> int:
        texts = texts_of(recipient.language)
        sent = await self._senders.messengers.send(
            recipient.user, texts.test_title, texts.test_body
        )
        if sent.retry:
            raise AppError(502, "messenger_unreachable")
        if not sent.delivered:
            raise AppError(409, "no_messengers")
        return sent.delivered


async def _result(
    channel: Channel, send: Callable[[Recipient], Awaitable[int | None]], recipient: Recipient
) -> TrialResult:
    try:
        return TrialResult(channel, True, await send(recipient))
    except AppError as error:
        return TrialResult(channel, False, error=problem_of(error))
