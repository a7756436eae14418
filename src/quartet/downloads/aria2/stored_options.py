"""Stores the options of clients encrypted."""

from pathlib import Path
from typing import Any

import msgspec

from quartet.downloads.aria2.types import Options
from quartet.kernel.vault import Vault

_USE = "aria2 options"


class StoredOptions:
    def __init__(self, keys: Path) -> None:
        self._vault = Vault(keys)

    def locked(self, options: Options) -> bytes:
        return self._vault.encrypt(msgspec.json.encode(options), _USE)

    def unlocked(self, locked: bytes | None) -> Options:
        if locked is None:
            return {}
        return msgspec.json.decode(self._vault.decrypt(locked, _USE), type=dict[str, Any])
