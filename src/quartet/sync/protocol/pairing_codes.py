"""Pairing codes that people can read out and type.

A code consists of a secret and the fingerprint of the server's key, so that a device that joins
with the code pins the right server.
"""

import hashlib
import secrets

# 32 characters that are hard to confuse. Twelve of them are 60 bits: too many to guess in 15
# minutes, and too many to create a second server key with the same fingerprint.
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
PART = 12
GROUP = 4
DOMAIN = b"quartet-sync-server-key"


def new_code(server_key: bytes) -> str:
    secret = "".join(secrets.choice(LETTERS) for _ in range(PART))
    return f"{_grouped(secret)}-{server_fingerprint(server_key)}"


def server_fingerprint(server_key: bytes) -> str:
    """Return the fingerprint of a server's key, as it is contained in its pairing codes."""
    number = int.from_bytes(hashlib.sha256(DOMAIN + server_key).digest()[:8], "big")
    return _grouped("".join(LETTERS[number >> shift & 31] for shift in range(59, -1, -5)))


def split_code(code: str) -> tuple[str, str | None]:
    """Return the secret and the fingerprint of a code; hyphens, spaces and case are ignored.

    Codes of older servers contain no fingerprint.
    """
    letters = "".join(char for char in code.upper() if char.isalnum())
    secret, fingerprint = letters[:PART], letters[PART:]
    return secret, _grouped(fingerprint) if fingerprint else None


def is_code(code: str) -> bool:
    """Return True if the text can be a code; codes of older servers are half as long."""
    secret, fingerprint = split_code(code)
    letters = secret + (fingerprint or "").replace("-", "")
    return len(letters) in (PART, 2 * PART) and set(letters) <= set(LETTERS)


def _grouped(letters: str) -> str:
    return "-".join(letters[start : start + GROUP] for start in range(0, len(letters), GROUP))
