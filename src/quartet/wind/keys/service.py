"""The same keys for all processes on one PostgreSQL, as files where each of them looks."""

from pathlib import Path

from quartet.kernel.db import Database, Tx
from quartet.kernel.events import Signal
from quartet.kernel.files import Root, write_atomic
from quartet.wind.alerts.unsubscribe import KEY_FILE as UNSUBSCRIBE
from quartet.wind.alerts.unsubscribe import Tokens
from quartet.wind.keys import store
from quartet.wind.push.keys import KEY_FILE as PUSH
from quartet.wind.push.keys import VapidKey

RENEWED = "keys"


class SharedKeys:
    """Its methods block: call them from a thread. On SQLite there is nobody to share with."""

    def __init__(self, db: Database, folder: Path) -> None:
        self._db = db
        self._folder = folder
        self._shared = db.kind == "postgresql"

    def share(self) -> None:
        """Before anybody uses them: the first process brings its own, all others take these."""
        if not self._shared:
            return
        VapidKey(self._folder, "").public()
        Tokens(self._folder).prepare()
        for name in (PUSH, UNSUBSCRIBE):
            self._take(name)

    def renew(self, push_key: bytes) -> None:
        def work(tx: Tx) -> None:
            store.replace(tx.conn, PUSH, push_key)
            tx.emit(Signal(RENEWED))

        if self._shared:
            self._db.write_sync(work)

    def take_push_key(self) -> None:
        """As another process has renewed it."""
        if self._shared:
            self._take(PUSH)

    def _take(self, name: str) -> None:
        mine = (self._folder / name).read_bytes()
        common = self._db.write_sync(lambda tx: store.kept(tx.conn, name, mine))
        if common != mine:
            write_atomic(Root(self._folder), name, common, mode=0o600)
