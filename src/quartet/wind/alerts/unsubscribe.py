"""Signed links that stop the mails of an alert or of all alerts."""

import hmac
import os
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from quartet.kernel.auth import secrets_match
from quartet.kernel.errors import AppError
from quartet.kernel.files import Root, write_atomic

KEY_FILE = "unsubscribe.key"
_KEY_BYTES = 32
_LONGEST = 200
# Stands for all alerts of a user.
ALL_ALERTS = 0


class UnsubscribeTarget(NamedTuple):
    """The alert and user a link refers to; the user guards against reused ids.

    The alert may be `ALL_ALERTS`.
    """

    alarm: int
    user: int


class UnsubscribeTokens:
    """Signed unsubscribe tokens; nothing is stored, and they are valid as long as the key.

    The first call reads the key file, so call the methods from a thread.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # Prevents two threads from creating a key each.
        self._lock = Lock()

    def prepare(self) -> None:
        """Create the key if it does not exist."""
        assert self._key  # noqa: S101

    def make(self, target: UnsubscribeTarget) -> str:
        text = f"{target.alarm}-{target.user}"
        return f"{text}-{self._signature(text)}"

    def read(self, token: str) -> UnsubscribeTarget:
        text, _, signature = token.rpartition("-")
        if len(token) > _LONGEST or not secrets_match(signature, self._signature(text)):
            raise AppError(400, "link_invalid")
        alarm, user = text.split("-")
        return UnsubscribeTarget(int(alarm), int(user))

    def _signature(self, text: str) -> str:
        return hmac.new(self._key, f"unsubscribe {text}".encode(), sha256).hexdigest()[:40]

    @cached_property
    def _key(self) -> bytes:
        with self._lock:
            return self._read() or self._create()

    def _read(self) -> bytes | None:
        try:
            key = (self._folder / KEY_FILE).read_bytes()
        except FileNotFoundError:
            return None
        # A file truncated by a power cut would make signatures forgeable.
        return key if len(key) == _KEY_BYTES else None

    def _create(self) -> bytes:
        key = os.urandom(_KEY_BYTES)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomic(Root(self._folder), KEY_FILE, key, mode=0o600)
        return key
