from sqlalchemy import Connection, insert, select

from quartet.sync.server_key.tables import server_keys
from quartet.sync.server_key.types import StoredKey


def load_all(conn: Connection) -> list[StoredKey]:
    """Return all keys, oldest first."""
    query = select(server_keys.c.private_key, server_keys.c.created_at)
    rows = conn.execute(query.order_by(server_keys.c.number))
    return [StoredKey(row.private_key, row.created_at) for row in rows]


def add(conn: Connection, number: int, key: StoredKey) -> None:
    values = {"private_key": key.private_key, "created_at": key.created_at}
    conn.execute(insert(server_keys).values(number=number, **values))
