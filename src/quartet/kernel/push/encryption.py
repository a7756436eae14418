"""Encryption of push messages for one browser (RFC 8291).

The libraries are imported in the functions, because they are not needed before the first message.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256

import msgspec

from quartet.kernel.errors import AppError
from quartet.kernel.push.types import PushMessage, SubscriptionKeys

# The largest payload that fits into 4096 encrypted bytes, the limit of all push services.
MOST_BYTES = 3993
_POINT, _SECRET = 65, 16


def payload_of(message: PushMessage) -> bytes:
    shown = {name: getattr(message, name) for name in ("title", "body", "url", "tag")}
    payload = msgspec.json.encode(shown)
    if len(payload) > MOST_BYTES:
        raise AppError(413, "too_large", limit=MOST_BYTES)
    return payload


def topic_of(topic: str) -> str:
    """Hash a topic to the 32 characters that push services accept, without revealing it."""
    return urlsafe_b64encode(sha256(topic.encode()).digest()[:24]).decode()


def check_keys(keys: SubscriptionKeys) -> None:
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey

    try:
        point, secret = _bytes(keys.p256dh), _bytes(keys.auth)
        if len(point) != _POINT or len(secret) != _SECRET:
            raise AppError(400, "invalid_subscription")
        EllipticCurvePublicKey.from_encoded_point(SECP256R1(), point)
    except ValueError:
        raise AppError(400, "invalid_subscription") from None


def encrypt(payload: bytes, keys: SubscriptionKeys) -> bytes:
    import http_ece  # type: ignore[import-untyped]
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key

    body: bytes = http_ece.encrypt(
        payload,
        private_key=generate_private_key(SECP256R1()),
        dh=_bytes(keys.p256dh),
        auth_secret=_bytes(keys.auth),
        version="aes128gcm",
    )
    return body


def _bytes(text: str) -> bytes:
    """Decode base64url with or without padding."""
    if len(text) > 2 * _POINT:
        raise ValueError("too long")
    plain = text.rstrip("=")
    return urlsafe_b64decode(plain + "=" * (-len(plain) % 4))
