"""The keys of the catalogs, unreadable in the database without the key file beside it."""

import base64
import logging
from typing import Any

import msgspec

from quartet.kernel.errors import AppError
from quartet.kernel.vault import Vault
from quartet.media.options.types import Options

_LOCKED = "locked"
log = logging.getLogger(__name__)


def sealed(options: Options, vault: Vault) -> dict[str, Any]:
    """For the database; blocks."""
    value: dict[str, Any] = msgspec.to_builtins(options)
    for name, key in value["keys"].items():
        if key:
            locked = vault.encrypt(key.encode(), _use(name))
            value["keys"][name] = {_LOCKED: base64.b64encode(locked).decode()}
    return value


def opened(value: dict[str, Any], vault: Vault) -> Options:
    """From the database; blocks."""
    keys = {name: _opened(name, key, vault) for name, key in value.get("keys", {}).items()}
    return msgspec.convert({**value, "keys": keys}, Options)


def is_plain(value: dict[str, Any]) -> bool:
    """Whether a key was stored before keys were locked."""
    return any(key and isinstance(key, str) for key in value.get("keys", {}).values())


def _opened(name: str, key: str | dict[str, str], vault: Vault) -> str:
    if isinstance(key, str):
        return key
    try:
        return vault.decrypt(base64.b64decode(key[_LOCKED]), _use(name)).decode()
    except AppError:
        # As if it were not there: everything else works, and the settings ask for it.
        log.warning("the key of %s cannot be read: the key file is another one", name)
        return ""


def _use(name: str) -> str:
    return f"catalog {name}"
