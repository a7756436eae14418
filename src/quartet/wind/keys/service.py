"""Shares keys between all processes on one PostgreSQL database, as files in each data folder."""

from pathlib import Path

from quartet.kernel.db import Database, Tx
from quartet.kernel.events import Signal
from quartet.kernel.files import Root, write_atomic
from quartet.kernel.vault import KEY_FILE as SECRETS
from quartet.kernel.vault import Vault
from quartet.wind.alerts.unsubscribe import KEY_FILE as UNSUBSCRIBE
from quartet.wind.alerts.unsubscribe import UnsubscribeTokens
from quartet.wind.keys import store
from quartet.wind.push.keys import KEY_FILE as PUSH
from quartet.wind.push.keys import VapidKey

RENEWED = "keys"


class SharedKeys:
    """Its methods block, so call them from a thread. They do nothing on SQLite."""

    def __init__(self, db: Database, folder: Path) -> None:
        self._db = db
        self._folder = folder
        self._shared = db.kind == "postgresql"

    def share(self) -> None:
        """Publish this process's keys, or take over the published ones.

        Call before using any key.
        """
        if not self._shared:
            return
        VapidKey(self._folder, "").public()
        UnsubscribeTokens(self._folder).prepare()
        Vault(self._folder).prepare()
        for name in (PUSH, UNSUBSCRIBE, SECRETS):
            self._take(name)

    def renew(self, push_key: bytes) -> None:
        def work(tx: Tx) -> None:
            store.replace(tx.conn, PUSH, push_key)
            tx.emit(Signal(RENEWED))

        if self._shared:
            self._db.write_sync(work)

    def take_push_key(self) -> None:
        """Take over the push key that another process has renewed."""
        if self._shared:
            self._take(PUSH)

    def _take(self, name: str) -> None:
        mine = (self._folder / name).read_bytes()
        common = self._db.write_sync(lambda tx: store.get_or_store(tx.conn, name, mine))
        if common != mine:
            write_atomic(Root(self._folder), name, common, mode=0o600)
