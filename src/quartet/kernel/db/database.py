import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Timer
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import OperationalError

from quartet.kernel.events import Event

T = TypeVar("T")
P = ParamSpec("P")

Publish = Callable[[Event], None]

# How long what is queued may take when a server has to answer.
CLOSE_SECONDS = 5.0
# Of two transactions that wait for each other PostgreSQL ends one, which may begin again.
TRIES = 5
DEADLOCK = "40P01"


class Tx:
    """One write transaction: the connection, and what follows its commit."""

    def __init__(self, conn: Connection, publish: Publish) -> None:
        self.conn = conn
        self._publish = publish
        self._after: list[Callable[[], None]] = []

    def emit(self, event: Event) -> None:
        """An event for every open browser, unless the transaction fails."""
        self.after_commit(partial(self._publish, event))

    def after_commit(self, act: Callable[[], None]) -> None:
        """`act` runs in the writing thread and must neither block nor fail."""
        self._after.append(act)

    def lock(self, name: str) -> None:
        """Waits until no other process is in a transaction of this name."""
        # SQLite has one writer at a time as it is.
        if self.conn.dialect.name == "postgresql":
            lock = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")
            self.conn.execute(lock, {"name": name})

    def committed(self) -> None:
        for act in self._after:
            act()


class Database:
    """`publish` is called from a worker thread, once for each event of a committed write.

    `cut` ends connections whose server may hang; a file needs none.
    """

    def __init__(
        self,
        reader: Engine,
        writer: Engine,
        *,
        read_threads: int,
        write_threads: int,
        publish: Publish,
        cut: Callable[[], None] | None = None,
    ) -> None:
        self._cut = cut
        self._reader = reader
        self._writer = writer
        self._publish = publish
        self._read_pool = ThreadPoolExecutor(read_threads, "db-read")
        self._write_pool = ThreadPoolExecutor(write_threads, "db-write")

    @property
    def kind(self) -> str:
        return self._writer.dialect.name

    @property
    def engine(self) -> Engine:
        """For migrations, backups and commands that own the process."""
        return self._writer

    @property
    def file(self) -> Path:
        """Of SQLite; other databases have none."""
        return Path(str(self._writer.url.database))

    async def read(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        def run() -> T:
            with self._reader.connect() as conn:
                return work(conn, *args, **kwargs)

        return await asyncio.get_running_loop().run_in_executor(self._read_pool, run)

    async def write(
        self, work: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """`work` must be good to run again: nothing of a run that was broken off has happened."""
        return await asyncio.get_running_loop().run_in_executor(
            self._write_pool, lambda: self.write_sync(work, *args, **kwargs)
        )

    async def execute_autocommit(self, statement: str) -> None:
        """A statement that must not be in a transaction, such as VACUUM, between two writes."""

        def run() -> None:
            with self._writer.connect() as conn:
                if self.kind == "sqlite":
                    # Below SQLAlchemy, which would begin a transaction.
                    conn.connection.cursor().execute(statement)
                else:
                    conn.execution_options(isolation_level="AUTOCOMMIT").execute(text(statement))

        await asyncio.get_running_loop().run_in_executor(self._write_pool, run)

    def write_sync(
        self, work: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """The same in the calling thread: for commands, and threads that already left the loop."""
        for left in reversed(range(TRIES)):
            try:
                with self._writer.begin() as conn:
                    tx = Tx(conn, self._publish)
                    result = work(tx, *args, **kwargs)
                break
            except OperationalError as error:
                if not left or getattr(error.orig, "sqlstate", None) != DEADLOCK:
                    raise
        # Here and not after the await: a caller that was cancelled meanwhile
        # must not swallow the news of what was committed.
        tx.committed()
        return result

    async def check(self) -> None:
        """Raises when the database does not answer."""
        await self.read(lambda conn: conn.execute(text("SELECT 1")).scalar_one())

    def close(self) -> None:
        """Finishes queued writes, then lets go of every connection; blocks for some seconds."""
        patience = Timer(CLOSE_SECONDS, self._give_up)
        if self._cut is not None:
            patience.start()
        self._write_pool.shutdown(wait=True)
        self._read_pool.shutdown(wait=True)
        patience.cancel()
        self._reader.dispose()
        self._writer.dispose()

    def _give_up(self) -> None:
        """Python itself would wait for the threads at its end, and they for the server."""
        for pool in (self._write_pool, self._read_pool):
            pool.shutdown(wait=False, cancel_futures=True)
        if self._cut is not None:
            self._cut()
