"""Builds the push service."""

import asyncio
import time
from collections.abc import Callable

from quartet.kernel.db import Tx
from quartet.kernel.events.tasks import reload_task
from quartet.kernel.push.build import push_sender, vapid_contact
from quartet.kernel.push.keys import VapidKey
from quartet.kernel.push.service import Push
from quartet.kernel.push.store import tables_of
from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask
from quartet.wind.accounts import store as accounts
from quartet.wind.keys.service import RENEWED, SharedKeys
from quartet.wind.settings import WindSettings


def build_push(
    kernel: Kernel[WindSettings], clock: Callable[[], float] = time.time
) -> tuple[Push, list[BackgroundTask]]:
    settings = kernel.settings
    folder = settings.data / "keys"
    shared = SharedKeys(kernel.db, folder)
    shared.share()
    key = VapidKey(folder, vapid_contact(settings.public_url), shared.renew)
    tables = tables_of(kernel.definition.history)
    push = Push(kernel.db, tables, key, push_sender(kernel, key), _lock_user, clock)
    return push, _key_tasks(kernel, shared, key)


def _lock_user(tx: Tx, user: int) -> bool:
    return accounts.lock_user(tx.conn, user) is not None


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
