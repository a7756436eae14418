"""Builds push messages for a service without accounts."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from quartet.kernel.db import Database, History
from quartet.kernel.db.shared_keys import NAME as KEYS
from quartet.kernel.db.shared_keys import share_key
from quartet.kernel.notifier import Language
from quartet.kernel.push.delivery import PushSender
from quartet.kernel.push.keys import KEY_FILE, VapidKey
from quartet.kernel.push.notices import BrowserNotices
from quartet.kernel.push.service import Push
from quartet.kernel.push.store import tables_of
from quartet.kernel.service import Kernel


class PushServices(NamedTuple):
    """The dependencies of `quartet.kernel.push.routes`, by their names."""

    push: Push
    browser_notices: BrowserNotices


def build_push(kernel: Kernel[Any], titles: Mapping[Language, str]) -> PushServices:
    folder = kernel.settings.data / "keys"
    history = kernel.definition.history
    key = VapidKey(folder, vapid_contact(kernel.settings.public_url))
    _share(kernel.db, history, folder, key)
    push = Push(kernel.db, tables_of(history), key, push_sender(kernel, key))
    return PushServices(push, BrowserNotices(push, titles))


def push_sender(kernel: Kernel[Any], key: VapidKey) -> PushSender:
    allow_private = kernel.settings.allow_private_addresses
    return PushSender(lambda: kernel.outbound, key, allow_private=allow_private)


def _share(db: Database, history: History, folder: Path, key: VapidKey) -> None:
    """Use the same key in all processes of a service that may have several."""
    table = history.metadata.tables.get(KEYS)
    if db.kind == "postgresql" and table is not None:
        key.public()
        share_key(db, table, folder, KEY_FILE)
        key.read_again()


def vapid_contact(public_url: str | None) -> str:
    """Return the VAPID contact; push services reject host names without a dot."""
    parts = urlsplit(public_url or "")
    host = parts.hostname or ""
    if "." not in host or ":" in host:
        return "mailto:push@localhost"
    return f"https://{host}" if parts.scheme == "https" else f"mailto:push@{host}"
