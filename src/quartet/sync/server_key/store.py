from sqlalchemy import Connection, func, insert, select

from quartet.kernel.db import is_locked
from quartet.sync.server_key.tables import server_keys
from quartet.sync.server_key.types import StoredKey


def load_all(conn: Connection) -> list[StoredKey]:
    """Return the keys that can be decrypted, oldest first."""
    query = select(server_keys.c.private_key, server_keys.c.created_at)
    rows = conn.execute(query.order_by(server_keys.c.number))
    return [
        StoredKey(row.private_key, row.created_at) for row in rows if not is_locked(row.private_key)
    ]


def add(conn: Connection, key: StoredKey) -> None:
    values = {"private_key": key.private_key, "created_at": key.created_at}
    conn.execute(insert(server_keys).values(number=last_number(conn) + 1, **values))


def last_number(conn: Connection) -> int:
    return conn.execute(select(func.max(server_keys.c.number))).scalar() or 0
