"""One-time codes that a person can read out and type."""

import hashlib
import secrets

# 32 characters that are not mistaken for each other; twelve of them are 60 bits. So many that
# a plain hash is enough, and that nobody guesses one in a quarter of an hour.
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
GROUPS = 3
GROUP = 4


def new_code() -> str:
    groups = ("".join(secrets.choice(LETTERS) for _ in range(GROUP)) for _ in range(GROUPS))
    return "-".join(groups)


def hash_code(server_id: str, code: str) -> str:
    """Hyphens, blanks and small letters do not count."""
    letters = "".join(char for char in code.upper() if char.isalnum())
    return hashlib.sha256(f"{server_id}:{letters}".encode()).hexdigest()
