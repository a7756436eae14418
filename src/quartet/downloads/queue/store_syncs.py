"""Finished files the disk has not confirmed yet."""

from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import Connection, select, update

from quartet.downloads.packages.store import take
from quartet.downloads.packages.tables import downloads


class Unsynced(NamedTuple):
    id: int
    file: str | None
    # The start of the machine since which it lies there.
    boot: str


def unsynced(conn: Connection, limit: int) -> list[Unsynced]:
    query = select(downloads.c.id, downloads.c.file, downloads.c.unsynced).where(
        # Not by their status: there are few, but many that are finished.
        downloads.c.unsynced.is_not(None),
        downloads.c.finished_at.is_not(None),
    )
    return [Unsynced(*row) for row in conn.execute(query.limit(limit))]


def synced(conn: Connection, ids: Collection[int]) -> None:
    conn.execute(update(downloads).where(downloads.c.id.in_(ids)).values(unsynced=None))


def doubt(conn: Connection, ids: Collection[int]) -> None:
    """They are fetched once more."""
    afresh = {"file": None, "finished_at": None, "bytes_done": 0, "unsettled": False}
    take(conn, "doubt", downloads.c.id.in_(ids), unsynced=None, hash_ok=None, **afresh)
