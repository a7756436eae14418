import hmac
import secrets
from hashlib import sha256


def new_token() -> str:
    """256 random bits as 64 hexadecimal digits."""
    return secrets.token_hex(32)


def hash_token(token: str) -> str:
    """What is stored of a token. A plain hash is enough: nobody can guess 256 random bits."""
    return sha256(token.encode()).hexdigest()


def csrf_token(session_token: str) -> str:
    """Made from the session's token, which a page cannot read; so it needs no storage."""
    return hmac.new(session_token.encode(), b"quartet csrf", sha256).hexdigest()


def secrets_match(given: str, expected: str) -> bool:
    """Compares in constant time."""
    return hmac.compare_digest(given.encode(), expected.encode())
