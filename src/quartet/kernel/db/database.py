import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Timer
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, Dialect, Engine, text
from sqlalchemy.exc import DBAPIError

from quartet.kernel.db.outage import Outages
from quartet.kernel.errors import AppError
from quartet.kernel.events import Event
from quartet.kernel.vault import Vault

T = TypeVar("T")
P = ParamSpec("P")

Publish = Callable[[Event], None]

# Time to finish queued statements on a server that may hang.
CLOSE_SECONDS = 5.0
# Number of attempts after PostgreSQL aborted the transaction because of a deadlock.
TRIES = 5
DEADLOCK = "40P01"
# PostgreSQL's code for a full disk, and SQLite's primary codes for a full disk and a failed write.
NO_SPACE = "53100"
SQLITE_NO_SPACE = (10, 13)
_VAULT = "quartet_vault"


class DatabaseFull(AppError):
    """A write failed because there is no space left on the disk."""


class Tx:
    """A write transaction: its connection and the actions to run after the commit."""

    def __init__(self, conn: Connection, publish: Publish) -> None:
        self.conn = conn
        self._publish = publish
        self._after: list[Callable[[], None]] = []

    def emit(self, event: Event) -> None:
        """Publish an event to every open browser after the commit."""
        self.after_commit(partial(self._publish, event))

    def after_commit(self, act: Callable[[], None]) -> None:
        """Run `act` in the writing thread after the commit; it must neither block nor fail."""
        self._after.append(act)

    def lock(self, name: str) -> None:
        """Wait until no other process is in a transaction with this lock name."""
        # SQLite allows only one writer anyway.
        if self.conn.dialect.name == "postgresql":
            lock = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")
            self.conn.execute(lock, {"name": name})

    def committed(self) -> None:
        for act in self._after:
            act()


class Database:
    """Runs units of work in thread pools.

    `publish` is called from a worker thread for each event of a committed write.
    `abort_connections` closes connections to a server that may hang; SQLite does not need it.
    """

    def __init__(
        self,
        reader: Engine,
        writer: Engine,
        *,
        read_threads: int,
        write_threads: int,
        publish: Publish,
        abort_connections: Callable[[], None] | None = None,
    ) -> None:
        self._abort_connections = abort_connections
        self._reader = reader
        self._writer = writer
        self._publish = publish
        self.outages = Outages()
        self._inode = _inode(self.file) if self.kind == "sqlite" else None
        self._read_pool = ThreadPoolExecutor(read_threads, "db-read")
        self._write_pool = ThreadPoolExecutor(write_threads, "db-write")

    def use_vault(self, vault: Vault) -> None:
        """Encrypt and decrypt the secret columns with this vault."""
        for engine in (self._reader, self._writer):
            # Column types know only the dialect, which belongs to one engine.
            setattr(engine.dialect, _VAULT, vault)

    @property
    def kind(self) -> str:
        return self._writer.dialect.name

    @property
    def engine(self) -> Engine:
        """The engine for migrations, backups and commands."""
        return self._writer

    @property
    def file(self) -> Path:
        """The path of the SQLite file."""
        return Path(str(self._writer.url.database))

    async def read(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        def run() -> T:
            with self.outages.reported(), self._reader.connect() as conn:
                return work(conn, *args, **kwargs)

        return await asyncio.get_running_loop().run_in_executor(self._read_pool, run)

    async def write(
        self, work: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run `work` in a write transaction; raise `DatabaseFull` if the disk is full.

        It may run again after a deadlock, so it must be repeatable.
        """
        return await asyncio.get_running_loop().run_in_executor(
            self._write_pool, lambda: self.write_sync(work, *args, **kwargs)
        )

    async def execute_autocommit(self, statement: str) -> None:
        """Execute a statement such as VACUUM that cannot run inside a transaction."""

        def run() -> None:
            with self.outages.reported(), self._writer.connect() as conn:
                if self.kind == "sqlite":
                    # Use the driver's cursor, because SQLAlchemy would begin a transaction.
                    conn.connection.cursor().execute(statement)
                else:
                    conn.execution_options(isolation_level="AUTOCOMMIT").execute(text(statement))

        await asyncio.get_running_loop().run_in_executor(self._write_pool, run)

    def write_sync(
        self, work: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Like `write`, but in the calling thread; for commands and worker threads."""
        with self.outages.reported():
            tx, result = self._retry_after_deadlock(work, *args, **kwargs)
        # Publish here and not after the await: if the caller is cancelled, the committed events
        # must still be published.
        tx.committed()
        return result

    def _retry_after_deadlock(
        self, work: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> tuple[Tx, T]:
        left = TRIES
        while True:
            try:
                with self._writer.begin() as conn:
                    tx = Tx(conn, self._publish)
                    return tx, work(tx, *args, **kwargs)
            except DBAPIError as error:
                if _is_disk_full(error):
                    raise DatabaseFull(507, "database_full") from error
                left -= 1
                if not left or getattr(error.orig, "sqlstate", None) != DEADLOCK:
                    raise

    async def check(self) -> None:
        """Raise an error if the database does not respond, or its file or tables are lost."""
        await self.read(self._check)

    def _check(self, conn: Connection) -> None:
        # An open file can still be read after it was deleted or replaced.
        if self.kind == "sqlite" and _inode(self.file) != self._inode:
            raise AppError(503, "database_lost")
        conn.execute(text("SELECT version_num FROM alembic_version")).scalar_one()

    def close(self) -> None:
        """Finish queued writes and close all connections; blocks for up to a few seconds."""
        timer = Timer(CLOSE_SECONDS, self._abort)
        if self._abort_connections is not None:
            timer.start()
        self._write_pool.shutdown(wait=True)
        self._read_pool.shutdown(wait=True)
        timer.cancel()
        self._reader.dispose()
        self._writer.dispose()

    def _abort(self) -> None:
        """Cancel queued work and abort connections, because the interpreter waits for the threads
        on exit.
        """
        for pool in (self._write_pool, self._read_pool):
            pool.shutdown(wait=False, cancel_futures=True)
        if self._abort_connections is not None:
            self._abort_connections()


def _is_disk_full(error: DBAPIError) -> bool:
    code = getattr(error.orig, "sqlite_errorcode", None)
    if code is not None:
        # The low byte is the primary code.
        return code & 0xFF in SQLITE_NO_SPACE
    return getattr(error.orig, "sqlstate", None) == NO_SPACE


def _inode(file: Path) -> int | None:
    try:
        return file.stat().st_ino
    except OSError:
        return None


def vault_of(dialect: Dialect) -> Vault | None:
    """Return the vault of the database, for the column types."""
    return getattr(dialect, _VAULT, None)
