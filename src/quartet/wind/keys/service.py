"""Shares keys between all processes on one PostgreSQL database, as files in each data folder."""

from pathlib import Path

from quartet.kernel.db import Database, Tx
from quartet.kernel.db.shared_keys import replace_key, share_key
from quartet.kernel.events import Signal
from quartet.kernel.push.keys import KEY_FILE as PUSH
from quartet.kernel.push.keys import VapidKey
from quartet.wind.alerts.unsubscribe import KEY_FILE as UNSUBSCRIBE
from quartet.wind.alerts.unsubscribe import UnsubscribeTokens
from quartet.wind.keys.tables import keys

RENEWED = "keys"


class SharedKeys:
    """Its methods block, so call them from a thread. They do nothing on SQLite."""

    def __init__(self, db: Database, folder: Path) -> None:
        self._db = db
        self._folder = folder
        self._shared = db.kind == "postgresql"

    def share(self) -> None:
        """Publish this process's keys, or take over the published ones.

        Call before using any key. The kernel shares the key of the vault.
        """
        if not self._shared:
            return
        VapidKey(self._folder, "").public()
        UnsubscribeTokens(self._folder).prepare()
        for name in (PUSH, UNSUBSCRIBE):
            self._take(name)

    def renew(self, push_key: bytes) -> None:
        def work(tx: Tx) -> None:
            replace_key(tx.conn, keys, PUSH, push_key)
            tx.emit(Signal(RENEWED))

        if self._shared:
            self._db.write_sync(work)

    def take_push_key(self) -> None:
        """Take over the push key that another process has renewed."""
        if self._shared:
            self._take(PUSH)

    def _take(self, name: str) -> None:
        share_key(self._db, keys, self._folder, name)
