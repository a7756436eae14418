"""Encrypts secrets in the database with a key file next to it."""

import base64
import os
from functools import cached_property
from pathlib import Path

from quartet.kernel.errors import AppError
from quartet.kernel.files import Root, write_atomic

KEY_FILE = "secrets.key"
# Marks encrypted text in a column that also held plain text before.
LOCKED = "locked:"
_NONCE = 12
_KEY = 32


class Vault:
    """AES-256-GCM. The methods may read the key file: call them from a thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def encrypt(self, secret: bytes, use: str) -> bytes:
        """Encrypt a secret. `use` is authenticated: decrypting for another use fails."""
        # Imported with the first secret, because most processes have none.
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        nonce = os.urandom(_NONCE)
        return nonce + AESGCM(self._key).encrypt(nonce, secret, use.encode())

    def decrypt(self, locked: bytes, use: str) -> bytes:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        try:
            return AESGCM(self._key).decrypt(locked[:_NONCE], locked[_NONCE:], use.encode())
        except (InvalidTag, ValueError):
            raise AppError(409, "secret_unreadable") from None

    def encrypt_text(self, secret: str, use: str) -> str:
        return LOCKED + base64.urlsafe_b64encode(self.encrypt(secret.encode(), use)).decode()

    def decrypt_text(self, locked: str, use: str) -> str:
        return self.decrypt(base64.urlsafe_b64decode(locked.removeprefix(LOCKED)), use).decode()

    def prepare(self) -> None:
        """Create the key file if there is none."""
        _ = self._key

    @cached_property
    def _key(self) -> bytes:
        try:
            key = (self._folder / KEY_FILE).read_bytes()
        except FileNotFoundError:
            return self._new_key()
        if len(key) != _KEY:
            raise AppError(409, "secret_unreadable")
        return key

    def _new_key(self) -> bytes:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = os.urandom(_KEY)
        write_atomic(Root(self._folder), KEY_FILE, key, mode=0o600)
        return key
