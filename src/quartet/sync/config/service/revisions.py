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
from quartet.sync.config.restoring import restore_preview
from quartet.sync.config.store import revisions
from quartet.sync.config.types.restoring import RestorePreview
from quartet.sync.config.types.revisions import ChangeSummary, Config, Revision

T = TypeVar("T")

log = logging.getLogger("quartet.sync.config")

# Tells all servers on the same database about a new revision.
TOPIC = "sync-revision"

Listener = Callable[[Config], None]
ChangeListener = Callable[[int, str, ChangeSummary], None]
# Describes a change by the configurations before and after it.
Describe = Callable[[Config, Config], ChangeSummary]


class Unchanged(Exception):
    """Raised inside a change that has no effect, so that no revision is created."""


class Revisions:
    """Holds the current configuration; every change goes through it."""

    def __init__(self, db: Database, data: Path) -> None:
        self._db = db
        # Only PostgreSQL can be shared with other servers.
        self.single_server = db.kind == "sqlite"
        self.server_id = db.write_sync(_server_id)
        self._epoch_file = data / "epoch"
        self.epoch = (
            _epoch(self._epoch_file) if self.single_server else db.write_sync(_shared_epoch)
        )
        self._was_set_back = False
        self.current = db.write_sync(lambda tx: revisions.config(tx.conn))
        # Called on the event loop with every new configuration.
        self.listeners: list[Listener] = []
        # Called on the event loop with the revision, the user and the description of a change.
        self.change_listeners: list[ChangeListener] = []

    async def change(
        self, user: str, what: ChangeSummary | Describe, work: Callable[[Tx, Config], T]
    ) -> T:
        """Run `work` with the previous configuration and store a revision in one transaction."""
        loop = asyncio.get_running_loop()

        def run(tx: Tx) -> T:
            revision = revisions.next_revision(tx.conn)
            before = self._before(tx, revision)
            result = work(tx, before)
            config = revisions.config(tx.conn)
            summary = what if isinstance(what, ChangeSummary) else what(before, config)
            revisions.save(tx.conn, config, int(time.time()), user, summary)
            tx.after_commit(partial(self._announce, loop, config, user, summary))
            if not self.single_server:
                tx.emit(Signal(TOPIC, str(revision)))
            return result

        return await self._db.write(run)

    def _before(self, tx: Tx, revision: int) -> Config:
        # The last commit may not have reached `current` yet.
        if self.current.revision == revision - 1:
            return self.current
        return replace(revisions.config(tx.conn), revision=revision - 1)

    def _announce(
        self, loop: asyncio.AbstractEventLoop, config: Config, user: str, what: ChangeSummary
    ) -> None:
        # The event loop may have been closed; the next start reads the new revision.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(self._on_commit, config, user, what)

    def _on_commit(self, config: Config, user: str, what: ChangeSummary) -> None:
        log.info("revision %d stored: %s by %s", config.revision, what.code, user)
        for tell in self.change_listeners:
            tell(config.revision, user, what)
        if config.revision > self.current.revision:
            self._set_current(config)

    def _set_current(self, config: Config) -> None:
        self.current = config
        for listener in self.listeners:
            listener(config)

    async def catch_up(self) -> None:
        """Load changes made by other servers."""
        if self.single_server:
            return
        revision, epoch = await self._db.read(_position)
        restored, self.epoch = epoch != self.epoch, epoch
        if restored or revision > self.current.revision:
            config = await self._db.read(revisions.config)
            if restored or config.revision > self.current.revision:
                log.debug("revision %d loaded, stored by another server", config.revision)
                self._set_current(config)

    def check_device_revision(self, epoch: str, revision: int) -> None:
        """Begin a new epoch if a device has a newer revision than this server.

        That means the server's disk was reset to an older state, and the device would refuse older
        revisions in the same epoch. It happens at most once, so a lying device gains nothing.
        """
        known = self.current.revision
        if not self.single_server or self._was_set_back or epoch != self.epoch or revision <= known:
            return
        log.warning("device has revision %d, server has %d; starting a new epoch", revision, known)
        self._was_set_back = True
        self._epoch_file.unlink(missing_ok=True)
        self.epoch = _epoch(self._epoch_file)
        self._set_current(self.current)

    @property
    def position(self) -> tuple[str, int]:
        return self.epoch, self.current.revision

    async def begin_epoch(self, user: str) -> None:
        """Begin a new epoch, so that devices follow this server again.

        Devices that followed another copy of this server have left the current epoch for good.
        """
        if self.single_server:
            self._epoch_file.unlink(missing_ok=True)
            self.epoch = _epoch(self._epoch_file)
        else:
            self.epoch = await self._db.write(_begin_shared_epoch)
        log.info("new epoch %s begun by %s", self.epoch, user)
        self._set_current(self.current)

    async def page(self, before: int | None, limit: int) -> list[Revision]:
        return await self._db.read(revisions.page, before, limit)

    async def preview_restore(self, revision: int) -> RestorePreview:
        """Return what restoring a revision would change."""
        wanted = await self._db.read(revisions.snapshot, revision)
        if wanted is None:
            raise AppError(404, "revision_not_found", revision=revision)
        return restore_preview(self.current, wanted)

    async def restore(self, user: str, revision: int) -> int:
        """Restore the folders and shares of a revision as a new revision."""
        if not 0 < revision <= self.current.revision:
            raise AppError(404, "revision_not_found", revision=revision)

        def work(tx: Tx, before: Config) -> int:
            wanted = revisions.snapshot(tx.conn, revision)
            if wanted is None:
                raise AppError(404, "revision_not_found", revision=revision)
            revisions.restore_snapshot(tx.conn, wanted)
            return before.revision + 1

        return await self.change(
            user, ChangeSummary("config_restored", {"revision": revision}), work
        )


def _position(conn: Any) -> tuple[int, str]:
    return revisions.revision(conn), revisions.epoch(conn)


def _shared_epoch(tx: Tx) -> str:
    return revisions.epoch(tx.conn)


def _begin_shared_epoch(tx: Tx) -> str:
    revisions.set_epoch_salt(tx.conn, secrets.token_hex(8))
    tx.emit(Signal(TOPIC, str(revisions.revision(tx.conn))))
    return revisions.epoch(tx.conn)


def _server_id(tx: Tx) -> str:
    # Two servers may start at the same time.
    tx.lock("sync server id")
    known = revisions.server_id(tx.conn)
    if known is None:
        known = secrets.token_hex(16)
        revisions.insert_server_id(tx.conn, known)
    return known


def _epoch(file: Path) -> str:
    """Return the epoch from the file; create one if it is missing.

    The file is not part of backups, so a restored server begins a new epoch. Its revisions start
    from
    an older number, which agents accept only in a new epoch.
    """
    known = file.read_text() if file.exists() else ""
    if not known:
        known = secrets.token_hex(8)
        file.write_text(known)
    return known
