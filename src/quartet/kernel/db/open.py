import os
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from weakref import WeakSet

from sqlalchemy import URL, Connection, Engine, create_engine, event

from quartet.kernel.db.database import Database, Publish
from quartet.kernel.db.migrate import make_private, schema_version
from quartet.kernel.errors import OperatorError
from quartet.kernel.events import Event
from quartet.kernel.postgres import engine_address

BUSY_TIMEOUT_MS = 10_000
# Instead of 2,000 for each connection. Pages of 500,000 scattered rows are not read slower, because
# the system keeps the file in memory too.
CACHE_KIB = 750
POSTGRES_THREADS = 8
# Errors are logged, and statement parameters can contain passwords.
HIDE_PARAMETERS = True


class NoDatabase(OperatorError):
    """The database does not exist or is empty."""


def _ignore(_event: Event) -> None:
    pass


def open_database(
    folder: Path,
    service: str,
    url: str | None = None,
    publish: Publish = _ignore,
) -> Database:
    """Open SQLite at `<folder>/<service>.sqlite3`, or the schema `<service>` on PostgreSQL."""
    if url:
        engine = _postgres(engine_address(url), service)
        return Database(
            engine,
            engine,
            read_threads=POSTGRES_THREADS,
            write_threads=POSTGRES_THREADS,
            publish=publish,
            abort_connections=_connection_aborter(engine),
        )
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = _path(folder, service)
    make_private(path)
    return Database(
        _sqlite(path, "BEGIN", query_only=True),
        _sqlite(path, "BEGIN IMMEDIATE", query_only=False),
        read_threads=4,
        write_threads=1,
        publish=publish,
    )


def open_existing(folder: Path, service: str, url: str | None = None) -> Database:
    """Open a database that must exist; create nothing."""
    place = f"schema {service}" if url else str(_path(folder, service))
    if not url and not _path(folder, service).is_file():
        raise NoDatabase(f"the database {place} does not exist")
    db = open_database(folder, service, url)
    if schema_version(db) == 0:
        db.close()
        raise NoDatabase(f"the database {place} is empty")
    return db


def _path(folder: Path, service: str) -> Path:
    return folder / f"{service}.sqlite3"


def _sqlite(path: Path, begin: str, *, query_only: bool) -> Engine:
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        pool_size=5,
        # Reuse the connection whose cache is warm, instead of each in turn.
        pool_use_lifo=True,
        hide_parameters=HIDE_PARAMETERS,
    )

    @event.listens_for(engine, "connect")
    def configure(dbapi: Any, _record: object) -> None:
        dbapi.isolation_level = None  # transactions are begun explicitly, see below
        for pragma in (
            f"busy_timeout = {BUSY_TIMEOUT_MS}",
            f"cache_size = -{CACHE_KIB}",
            "journal_mode = WAL",
            # FULL: confirmed writes survive a power cut. Writes are rare, so the cost is small.
            "synchronous = FULL",
            "foreign_keys = ON",
            f"query_only = {int(query_only)}",
        ):
            dbapi.execute(f"PRAGMA {pragma}")

    # Take the write lock at the beginning: a transaction that reads first and upgrades later fails
    # instead of waiting if another process wrote in between.
    @event.listens_for(engine, "begin")
    def start(conn: Connection) -> None:
        conn.exec_driver_sql(begin)

    return engine


def _postgres(url: URL, schema: str) -> Engine:
    return create_engine(
        url,
        pool_size=POSTGRES_THREADS,
        max_overflow=POSTGRES_THREADS,
        pool_pre_ping=True,
        hide_parameters=HIDE_PARAMETERS,
        connect_args={"options": f"-c search_path={schema}", "application_name": schema},
    )


def _connection_aborter(engine: Engine) -> Callable[[], None]:
    """Return a function that aborts all connections, so that waiting threads get an error."""
    connections = WeakSet[Any]()

    @event.listens_for(engine, "connect")
    def remember(dbapi: Any, _record: object) -> None:
        connections.add(dbapi)

    def abort_connections() -> None:
        for each in list(connections):
            if not each.closed:
                with suppress(OSError), socket.socket(fileno=os.dup(each.fileno())) as sock:
                    sock.shutdown(socket.SHUT_RDWR)

    return abort_connections
