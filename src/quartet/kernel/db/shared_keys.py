"""Keys that all processes on one PostgreSQL database share, as files in each data folder."""

import logging
from pathlib import Path

from sqlalchemy import Column, Connection, MetaData, Table, select, update

from quartet.kernel.db.columns import Bytes, Text, strict_table
from quartet.kernel.db.database import Database
from quartet.kernel.files import Root, write_atomic

log = logging.getLogger("quartet.database")

NAME = "keys"
# A replaced key stays next to the shared one: it may have encrypted something before.
REPLACED = ".replaced"


def keys_table(metadata: MetaData) -> Table:
    """The keys of several processes; a single process keeps them in its data folder."""
    return strict_table(
        NAME,
        metadata,
        Column("name", Text, primary_key=True),
        Column("value", Bytes, nullable=False),
    )


def share_key(db: Database, table: Table, folder: Path, name: str) -> None:
    """Publish a key file of this process, or take over the published one. Blocks."""
    mine = (folder / name).read_bytes()
    common = db.write_sync(lambda tx: _get_or_store(tx.conn, table, name, mine))
    if common != mine:
        write_atomic(Root(folder), name + REPLACED, mine, mode=0o600)
        write_atomic(Root(folder), name, common, mode=0o600)
        log.info("key file %s replaced by the one of the database", name)


def replace_key(conn: Connection, table: Table, name: str, value: bytes) -> None:
    conn.execute(update(table).where(table.c.name == name).values(value=value))


def _get_or_store(conn: Connection, table: Table, name: str, value: bytes) -> bytes:
    """Return the shared key: the first one stored."""
    # Imported here, because processes with SQLite never need it.
    from sqlalchemy.dialects.postgresql import insert

    conn.execute(insert(table).values(name=name, value=value).on_conflict_do_nothing())
    return bytes(conn.execute(select(table.c.value).where(table.c.name == name)).scalar_one())
