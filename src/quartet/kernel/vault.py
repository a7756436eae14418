"""Secrets in the database, unreadable without the key file beside it."""

import os
from functools import cached_property
from pathlib import Path

from quartet.kernel.errors import AppError
from quartet.kernel.files import Root, write_atomic

KEY_FILE = "secrets.key"
_NONCE = 12
_KEY = 32


class Vault:
    """AES-256-GCM. Its methods read the key file once: call them from a thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def encrypt(self, secret: bytes, use: str) -> bytes:
        """`use` says what it is for: locked for one use, it opens for no other."""
        # Loaded with the first secret: most starts of the program have none to open.
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
