"""Ed25519 signatures by which an agent proves that it owns its key."""

import hashlib
import unicodedata
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from quartet.sync.protocol.limits import PROTOCOL_VERSION
from quartet.sync.protocol.messages import Challenge, Hello

DOMAIN = b"quartet-sync-hello"
KEY_BYTES = 32
SIGNATURE_BYTES = 64

PRIME = 2**255 - 19
# The y coordinates of all points of small order; anyone can forge signatures for such keys.
SMALL_ORDER_Y = frozenset(
    {
        0,
        1,
        PRIME - 1,
        2707385501144840649318225287225658788936804267575313519463743609750303402022,
        55188659117513257062467267217118295137698188065244968500265048394206261417927,
    }
)


def hello_payload(challenge: Challenge, hello: Hello) -> bytes:
    """Return the bytes to sign, as described in docs/sync-protocol.md."""
    fields: tuple[bytes | str | None, ...] = (
        challenge.server,
        challenge.nonce,
        hello.address,
        hello.public_key,
        hello.code,
        hello.host_name,
        hello.os,
        hello.agent_version,
        hello.engine_version,
        hello.engine_id,
    )
    head = DOMAIN + challenge.protocol.to_bytes(4, "big")
    return head + b"".join(encode_field(value) for value in fields)


def encode_field(value: bytes | str | None) -> bytes:
    """Encode presence, length and value, so that `None` and an empty string differ."""
    if value is None:
        return b"\x00"
    raw = unicodedata.normalize("NFC", value).encode() if isinstance(value, str) else value
    return b"\x01" + len(raw).to_bytes(4, "big") + raw


def sign(private_key: Ed25519PrivateKey, challenge: Challenge, hello: Hello) -> bytes:
    return private_key.sign(hello_payload(challenge, hello))


def verify(challenge: Challenge, hello: Hello) -> bool:
    if challenge.protocol != PROTOCOL_VERSION or not usable_key(hello.public_key):
        return False
    if len(hello.signature) != SIGNATURE_BYTES:
        return False
    key = Ed25519PublicKey.from_public_bytes(hello.public_key)
    try:
        key.verify(hello.signature, hello_payload(challenge, hello))
    except (InvalidSignature, UnicodeError):
        return False
    return True


def usable_key(public_key: bytes) -> bool:
    if len(public_key) != KEY_BYTES:
        return False
    y = int.from_bytes(public_key, "little") & (2**255 - 1)
    # A y beyond the prime would be a second encoding of another key.
    return y < PRIME and y not in SMALL_ORDER_Y


def fingerprint(public_key: bytes) -> str:
    digits = hashlib.sha256(public_key).hexdigest()[:16]
    return "-".join(digits[start : start + 4] for start in range(0, 16, 4))


def dialled_address(url: str) -> str:
    """Return the host and port of a URL in canonical form, or "" if the URL is invalid."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    host = _bracketed(parts.hostname or "")
    return host if port in (None, 80, 443) else f"{host}:{port}"


def host_of(address: str) -> str:
    """Return the host without the port."""
    try:
        return _bracketed(urlsplit(f"//{address}").hostname or "")
    except ValueError:
        return ""


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
