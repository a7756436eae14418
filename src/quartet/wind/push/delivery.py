"""One message on its way to one browser."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple

from quartet.kernel.errors import AppError
from quartet.kernel.retry_after import retry_after
from quartet.wind.push.endpoints import checked_endpoint, origin_of
from quartet.wind.push.keys import VapidKey
from quartet.wind.push.sealing import payload_of, sealed, topic_of
from quartet.wind.push.types import Message, Subscription, SubscriptionKeys

if TYPE_CHECKING:
    from quartet.kernel.outbound import OutboundClient, OutboundResponse

_SECONDS = 10.0
_MOST_ANSWER_BYTES = 64 * 1024
# Nobody may make a message wait for ever.
_LONGEST_WAIT = 86400.0
_GONE = (404, 410)
_TOO_MANY = 429
# Wrong for ever, whenever it is tried.
_HOPELESS = ("bad_address", "address_forbidden")
_AT_ONCE = 20


class Outcome(NamedTuple):
    """`wait` are the seconds a push service asks for."""

    kind: Literal["delivered", "gone", "later", "refused"]
    wait: float | None = None


class Sender:
    """Reaches what `outbound` may reach, follows no redirect and waits for nobody long."""

    def __init__(
        self, outbound: "Callable[[], OutboundClient]", key: VapidKey, *, allow_private: bool
    ) -> None:
        self._outbound = outbound
        self._key = key
        self._allow_private = allow_private
        self._free = asyncio.Semaphore(_AT_ONCE)

    async def send(self, message: Message, to: Subscription) -> Outcome:
        # Outside of what is caught: a message that is too long is for nobody.
        payload = payload_of(message)
        async with self._free:
            try:
                return _outcome(await self._post(payload, message, to))
            except AppError as error:
                return Outcome("refused" if error.code in _HOPELESS else "later")

    async def _post(self, payload: bytes, message: Message, to: Subscription) -> "OutboundResponse":
        endpoint = checked_endpoint(to.endpoint, allow_private=self._allow_private)
        # In a thread: the arithmetic of both takes some milliseconds, and loading it longer.
        body = await asyncio.to_thread(sealed, payload, SubscriptionKeys(to.p256dh, to.auth))
        proof = await asyncio.to_thread(self._key.authorization, origin_of(endpoint))
        headers = {
            "Authorization": proof,
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(message.ttl),
            # A phone at rest would show it when it is picked up, and the wind may be over by then.
            "Urgency": "high",
        }
        if message.topic is not None:
            headers["Topic"] = topic_of(message.topic)
        return await self._outbound().post(
            endpoint,
            body=body,
            headers=headers,
            follow=False,
            timeout=_SECONDS,
            max_bytes=_MOST_ANSWER_BYTES,
        )


def _outcome(answer: "OutboundResponse") -> Outcome:
    if answer.ok:
        return Outcome("delivered")
    if answer.status in _GONE:
        return Outcome("gone")
    if answer.status == _TOO_MANY or answer.status >= 500:
        asked = retry_after(answer.headers)
        return Outcome("later", None if asked is None else min(asked, _LONGEST_WAIT))
    return Outcome("refused")
