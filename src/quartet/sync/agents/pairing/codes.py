"""Pairing codes that people can read out and type."""

import hashlib
import secrets

# 32 characters that are hard to confuse. Twelve of them are 60 bits: too many to guess in 15
# minutes, so an unsalted hash is enough.
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
GROUPS = 3
GROUP = 4


def new_code() -> str:
    groups = ("".join(secrets.choice(LETTERS) for _ in range(GROUP)) for _ in range(GROUPS))
    return "-".join(groups)


def hash_code(server_id: str, code: str) -> str:
    """Hash the code; hyphens, spaces and case are ignored."""
    letters = "".join(char for char in code.upper() if char.isalnum())
    return hashlib.sha256(f"{server_id}:{letters}".encode()).hexdigest()
