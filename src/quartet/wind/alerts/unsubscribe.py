"""Links that switch the mails of an alarm off, for whoever holds one of its mails."""

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


class Meant(NamedTuple):
    """Whose alarm a link is about: a number that is given again means nobody else's."""

    alarm: int
    user: int


class Tokens:
    """Signed, so nothing about a mail has to be kept. They hold for as long as the key does.

    Its methods read the key file once: call them from a thread.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # Two threads that both find no key must not make one each.
        self._lock = Lock()

    def prepare(self) -> None:
        """Makes the key if there is none."""
        assert self._key  # noqa: S101

    def make(self, meant: Meant) -> str:
        text = f"{meant.alarm}-{meant.user}"
        return f"{text}-{self._signature(text)}"

    def read(self, token: str) -> Meant:
        text, _, signature = token.rpartition("-")
        if len(token) > _LONGEST or not secrets_match(signature, self._signature(text)):
            raise AppError(400, "link_invalid")
        alarm, user = text.split("-")
        return Meant(int(alarm), int(user))

    def _signature(self, text: str) -> str:
        return hmac.new(self._key, f"unsubscribe {text}".encode(), sha256).hexdigest()[:40]

    @cached_property
    def _key(self) -> bytes:
        with self._lock:
            return self._read() or self._made()

    def _read(self) -> bytes | None:
        try:
            key = (self._folder / KEY_FILE).read_bytes()
        except FileNotFoundError:
            return None
        # With one that a power cut has emptied anybody could sign.
        return key if len(key) == _KEY_BYTES else None

    def _made(self) -> bytes:
        key = os.urandom(_KEY_BYTES)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomic(Root(self._folder), KEY_FILE, key, mode=0o600)
        return key
