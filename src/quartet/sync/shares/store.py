from collections.abc import Iterable

from sqlalchemy import Connection, delete, insert, select

from quartet.sync.shares.tables import shares
from quartet.sync.shares.types import Share


def every(conn: Connection) -> tuple[Share, ...]:
    query = select(shares.c.folder_id, shares.c.device_id, shares.c.mode, shares.c.path)
    rows = conn.execute(query.order_by(shares.c.device_id, shares.c.folder_id))
    return tuple(Share(*row) for row in rows)


def remove(conn: Connection, pairs: Iterable[tuple[int, int]]) -> None:
    for folder_id, device_id in pairs:
        conn.execute(
            delete(shares).where(shares.c.folder_id == folder_id, shares.c.device_id == device_id)
        )


def remove_all(conn: Connection) -> None:
    conn.execute(delete(shares))


def add(conn: Connection, rows: Iterable[Share]) -> None:
    values = [
        {"folder_id": row.folder_id, "device_id": row.device_id, "mode": row.mode, "path": row.path}
        for row in rows
    ]
    if values:
        conn.execute(insert(shares), values)
