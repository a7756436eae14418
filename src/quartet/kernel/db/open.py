from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url

from quartet.kernel.db.database import Database, Publish
from quartet.kernel.events import Event

BUSY_TIMEOUT_MS = 10_000
POSTGRES_THREADS = 8


def _ignore(_event: Event) -> None:
    pass


def open_database(
    folder: Path,
    service: str,
    url: str | None = None,
    publish: Publish = _ignore,
) -> Database:
    """SQLite at `<folder>/<service>.sqlite3`, or the schema `<service>` on PostgreSQL."""
    if url:
        engine = _postgres(make_url(url), service)
        return Database(
            engine,
            engine,
            read_threads=POSTGRES_THREADS,
            write_threads=POSTGRES_THREADS,
            publish=publish,
        )
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{service}.sqlite3"
    return Database(
        _sqlite(path, "BEGIN", query_only=True),
        _sqlite(path, "BEGIN IMMEDIATE", query_only=False),
        read_threads=4,
        write_threads=1,
        publish=publish,
    )


def _sqlite(path: Path, begin: str, *, query_only: bool) -> Engine:
    engine = create_engine(URL.create("sqlite", database=str(path)), pool_size=5)

    @event.listens_for(engine, "connect")
    def configure(dbapi: Any, _record: object) -> None:
        dbapi.isolation_level = None  # we begin transactions ourselves, see below
        for pragma in (
            f"busy_timeout = {BUSY_TIMEOUT_MS}",
            "journal_mode = WAL",
            # FULL: what was answered survives a power cut too. Writes are few, so it costs little.
            "synchronous = FULL",
            "foreign_keys = ON",
            f"query_only = {int(query_only)}",
        ):
            dbapi.execute(f"PRAGMA {pragma}")

    # A write takes the lock at once: a transaction that reads first and upgrades
    # later fails instead of waiting when another process wrote in between.
    @event.listens_for(engine, "begin")
    def start(conn: Connection) -> None:
        conn.exec_driver_sql(begin)

    return engine


def _postgres(url: URL, schema: str) -> Engine:
    return create_engine(
        url.set(drivername="postgresql+psycopg"),
        pool_size=POSTGRES_THREADS,
        max_overflow=POSTGRES_THREADS,
        pool_pre_ping=True,
        connect_args={"options": f"-c search_path={schema}", "application_name": schema},
    )
