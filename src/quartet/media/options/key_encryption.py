"""Encrypts the catalog keys in the database with a key file from the data folder."""

import base64
import logging
from typing import Any

import msgspec

from quartet.kernel.errors import AppError
from quartet.kernel.vault import Vault
from quartet.media.options.types import Options

_LOCKED = "locked"
log = logging.getLogger(__name__)


def encrypt_keys(options: Options, vault: Vault) -> dict[str, Any]:
    """Encrypt the keys for the database; blocks."""
    value: dict[str, Any] = msgspec.to_builtins(options)
    for name, key in value["keys"].items():
        if key:
            locked = vault.encrypt(key.encode(), _purpose(name))
            value["keys"][name] = {_LOCKED: base64.b64encode(locked).decode()}
    return value


def decrypt_keys(value: dict[str, Any], vault: Vault) -> Options:
    """Decrypt the keys from the database; blocks."""
    keys = {name: _decrypt_key(name, key, vault) for name, key in value.get("keys", {}).items()}
    return msgspec.convert({**value, "keys": keys}, Options)


def has_plain_keys(value: dict[str, Any]) -> bool:
    """Return True if a key was stored before keys were encrypted."""
    return any(key and isinstance(key, str) for key in value.get("keys", {}).values())


def _decrypt_key(name: str, key: str | dict[str, str], vault: Vault) -> str:
    if isinstance(key, str):
        return key
    try:
        return vault.decrypt(base64.b64decode(key[_LOCKED]), _purpose(name)).decode()
    except AppError:
        # Treat the key as missing: everything else works, and the settings page asks for it.
        log.warning("cannot decrypt the key for catalog %s: the key file has changed", name)
        return ""


def _purpose(name: str) -> str:
    return f"catalog {name}"
