from sqlalchemy import Connection, select, update

from quartet.wind.keys.tables import keys
from quartet.wind.store_upsert import insert_into


def get_or_store(conn: Connection, name: str, value: bytes) -> bytes:
    """Return the shared key: the first one stored."""
    conn.execute(insert_into(conn, keys).values(name=name, value=value).on_conflict_do_nothing())
    return bytes(conn.execute(select(keys.c.value).where(keys.c.name == name)).scalar_one())


def replace(conn: Connection, name: str, value: bytes) -> None:
    conn.execute(update(keys).where(keys.c.name == name).values(value=value))
