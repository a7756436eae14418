"""Sends one message to one browser."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple

from quartet.kernel.errors import AppError
from quartet.kernel.push.encryption import encrypt, payload_of, topic_of
from quartet.kernel.push.endpoints import checked_endpoint, origin_of
from quartet.kernel.push.keys import VapidKey
from quartet.kernel.push.types import BrowserSubscription, PushMessage, SubscriptionKeys
from quartet.kernel.retry_after import retry_after

if TYPE_CHECKING:
    from quartet.kernel.outbound import OutboundClient, OutboundResponse

_SECONDS = 10.0
_MOST_ANSWER_BYTES = 64 * 1024
# Upper limit for the Retry-After of a push service.
_LONGEST_WAIT = 86400.0
_GONE = (404, 410)
_TOO_MANY = 429
# Errors for which retrying is pointless.
_HOPELESS = ("bad_address", "address_forbidden")
_AT_ONCE = 20


class PushOutcome(NamedTuple):
    """`wait` is the Retry-After of the push service in seconds."""

    kind: Literal["delivered", "gone", "later", "refused"]
    wait: float | None = None


class PushSender:
    """Sends messages without following redirects, to addresses that `outbound` permits."""

    def __init__(
        self, outbound: "Callable[[], OutboundClient]", key: VapidKey, *, allow_private: bool
    ) -> None:
        self._outbound = outbound
        self._key = key
        self._allow_private = allow_private
        self._free = asyncio.Semaphore(_AT_ONCE)

    def checked(self, endpoint: str) -> str:
        """Return the endpoint, unless it is invalid or forbidden."""
        return checked_endpoint(endpoint, allow_private=self._allow_private)

    async def send(self, message: PushMessage, to: BrowserSubscription) -> PushOutcome:
        # Outside of the try block: a message that is too long is the caller's error.
        payload = payload_of(message)
        async with self._free:
            try:
                return _outcome(await self._post(payload, message, to))
            except AppError as error:
                return PushOutcome("refused" if error.code in _HOPELESS else "later")

    async def _post(
        self, payload: bytes, message: PushMessage, to: BrowserSubscription
    ) -> "OutboundResponse":
        endpoint = self.checked(to.endpoint)
        # In threads: encryption and signing take some milliseconds, and their imports more.
        body = await asyncio.to_thread(encrypt, payload, SubscriptionKeys(to.p256dh, to.auth))
        proof = await asyncio.to_thread(self._key.authorization, origin_of(endpoint))
        headers = {
            "Authorization": proof,
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(message.ttl),
            # Otherwise a sleeping phone may delay the message for hours.
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


def _outcome(answer: "OutboundResponse") -> PushOutcome:
    if answer.ok:
        return PushOutcome("delivered")
    if answer.status in _GONE:
        return PushOutcome("gone")
    if answer.status == _TOO_MANY or answer.status >= 500:
        asked = retry_after(answer.headers)
        return PushOutcome("later", None if asked is None else min(asked, _LONGEST_WAIT))
    return PushOutcome("refused")
