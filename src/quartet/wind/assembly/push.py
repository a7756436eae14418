"""Builds the push service."""

import asyncio
import time
from collections.abc import Callable
from urllib.parse import urlsplit

from quartet.kernel.events.tasks import reload_task
from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask
from quartet.wind.keys.service import RENEWED, SharedKeys
from quartet.wind.push.delivery import PushSender
from quartet.wind.push.keys import VapidKey
from quartet.wind.push.service import Push, PushOptions
from quartet.wind.settings import WindSettings


def build_push(
    kernel: Kernel[WindSettings],
    mail_ready: Callable[[], bool],
    clock: Callable[[], float] = time.time,
) -> tuple[Push, list[BackgroundTask]]:
    settings = kernel.settings
    allow_private = settings.allow_private_addresses
    folder = settings.data / "keys"
    shared = SharedKeys(kernel.db, folder)
    shared.share()
    key = VapidKey(folder, vapid_contact(settings.public_url), shared.renew)
    sender = PushSender(lambda: kernel.outbound, key, allow_private=allow_private)
    push = Push(kernel.db, key, sender, PushOptions(allow_private, mail_ready), clock)
    return push, _key_tasks(kernel, shared, key)


def _key_tasks(
    kernel: Kernel[WindSettings], shared: SharedKeys, key: VapidKey
) -> list[BackgroundTask]:
    """Take over the key that another process renewed; on SQLite there is only one process."""

    def renewed() -> None:
        shared.take_push_key()
        key.read_again()

    if kernel.db.kind == "sqlite":
        return []
    # In a thread: it reads the database and writes a file.
    return [reload_task(RENEWED, kernel.events, lambda: asyncio.to_thread(renewed))]


def vapid_contact(public_url: str | None) -> str:
    """Return the VAPID contact; push services reject host names without a dot."""
    parts = urlsplit(public_url or "")
    host = parts.hostname or ""
    if "." not in host or ":" in host:
        return "mailto:push@localhost"
    return f"https://{host}" if parts.scheme == "https" else f"mailto:push@{host}"
