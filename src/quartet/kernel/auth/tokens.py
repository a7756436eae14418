import hmac
import secrets
from hashlib import sha256


def new_token() -> str:
    """Return 256 random bits as 64 hexadecimal digits."""
    return secrets.token_hex(32)


def hash_token(token: str) -> str:
    """Return the hash to store. A plain hash is enough for 256 random bits."""
    return sha256(token.encode()).hexdigest()


def csrf_token(session_token: str) -> str:
    """Derive the CSRF token from the session token, so that it needs no storage."""
    return hmac.new(session_token.encode(), b"quartet csrf", sha256).hexdigest()


def secrets_match(given: str, expected: str) -> bool:
    """Compare two secrets in constant time."""
    return hmac.compare_digest(given.encode(), expected.encode())
