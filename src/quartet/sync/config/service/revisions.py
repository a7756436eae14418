import asyncio
import logging
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.events import Signal
from quartet.sync.config.store import revisions
from quartet.sync.config.types.revisions import Config, Revision, What

T = TypeVar("T")

log = logging.getLogger("quartet.sync.revisions")

# Says to all servers on one database that there is a new revision.
TOPIC = "sync-revision"

Listener = Callable[[Config], None]
Told = Callable[[int, str, What], None]


class Unchanged(Exception):
    """Raised inside a change that turns out to change nothing: there is no new revision."""


class Revisions:
    """The configuration as it is now, and the one way to change it."""

    def __init__(self, db: Database, data: Path) -> None:
        self._db = db
        # On PostgreSQL there may be other servers.
        self.alone = db.kind == "sqlite"
        self.server_id = db.write_sync(_server_id)
        self._epoch_file = data / "epoch"
        self.epoch = _epoch(self._epoch_file) if self.alone else db.write_sync(_shared_epoch)
        self._was_set_back = False
        self.current = db.write_sync(lambda tx: revisions.config(tx.conn))
        # Told on the event loop of every new revision.
        self.listeners: list[Listener] = []
        # Told the same way of who changed what.
        self.told: list[Told] = []

    async def change(self, who: str, what: What, work: Callable[[Tx, Config], T]) -> T:
        """`work`, the new revision and its place in the history are one transaction.

        `work` is given the configuration as it was before.
        """
        loop = asyncio.get_running_loop()

        def run(tx: Tx) -> T:
            revision = revisions.next_revision(tx.conn)
            result = work(tx, self._before(tx, revision))
            config = revisions.config(tx.conn)
            revisions.keep(tx.conn, config, int(time.time()), who, what)
            tx.after_commit(partial(self._tell, loop, config, who, what))
            if not self.alone:
                tx.emit(Signal(TOPIC, str(revision)))
            return result

        return await self._db.write(run)

    def _before(self, tx: Tx, revision: int) -> Config:
        # What was committed a moment ago may not have been taken over yet.
        if self.current.revision == revision - 1:
            return self.current
        return replace(revisions.config(tx.conn), revision=revision - 1)

    def _tell(self, loop: asyncio.AbstractEventLoop, config: Config, who: str, what: What) -> None:
        # A server that ends meanwhile reads it at its next start.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(self._take, config, who, what)

    def _take(self, config: Config, who: str, what: What) -> None:
        for tell in self.told:
            tell(config.revision, who, what)
        if config.revision > self.current.revision:
            self._become(config)

    def _become(self, config: Config) -> None:
        self.current = config
        for listener in self.listeners:
            listener(config)

    async def catch_up(self) -> None:
        """With what other servers have changed."""
        if self.alone:
            return
        revision, epoch = await self._db.read(_position)
        restored, self.epoch = epoch != self.epoch, epoch
        if restored or revision > self.current.revision:
            config = await self._db.read(revisions.config)
            if restored or config.revision > self.current.revision:
                self._become(config)

    def heard_of(self, epoch: str, revision: int) -> None:
        """What a device has taken from us: more than we know of says that our disk was set back.

        In the same epoch it would not listen to us. One who lies gets no more than one new epoch.
        """
        known = self.current.revision
        if not self.alone or self._was_set_back or epoch != self.epoch or revision <= known:
            return
        log.warning("a device knows revision %d, we know %d: a new epoch begins", revision, known)
        self._was_set_back = True
        self._epoch_file.unlink(missing_ok=True)
        self.epoch = _epoch(self._epoch_file)
        self._become(self.current)

    async def page(self, before: int | None, limit: int) -> list[Revision]:
        return await self._db.read(revisions.page, before, limit)

    async def restore(self, who: str, revision: int) -> int:
        """Folders and shares as they were then, as a new revision."""
        if not 0 < revision <= self.current.revision:
            raise AppError(404, "revision_not_found", revision=revision)

        def work(tx: Tx, before: Config) -> int:
            wanted = revisions.snapshot(tx.conn, revision)
            if wanted is None:
                raise AppError(404, "revision_not_found", revision=revision)
            revisions.put_back(tx.conn, wanted)
            return before.revision + 1

        return await self.change(who, What("config_restored", {"revision": revision}), work)


def _position(conn: Any) -> tuple[int, str]:
    return revisions.revision(conn), revisions.epoch(conn)


def _shared_epoch(tx: Tx) -> str:
    return revisions.epoch(tx.conn)


def _server_id(tx: Tx) -> str:
    # Two servers may begin at once.
    tx.lock("sync server id")
    known = revisions.server_id(tx.conn)
    if known is None:
        known = secrets.token_hex(16)
        revisions.begin(tx.conn, known)
    return known


def _epoch(file: Path) -> str:
    """Revisions count from anew after a backup was restored, and agents must know.

    The file is left out of backups, so that a restored server makes a new one.
    """
    known = file.read_text() if file.exists() else ""
    if not known:
        known = secrets.token_hex(8)
        file.write_text(known)
    return known
