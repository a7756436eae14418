from msgspec.structs import asdict
from sqlalchemy import Connection, delete, func, insert, select

from quartet.sync.hub.tables import hubs
from quartet.sync.hub.types import KnownHub, lock_name


def load_all(conn: Connection) -> list[KnownHub]:
    rows = conn.execute(select(hubs.c.name, hubs.c.engine_id, hubs.c.address).order_by(hubs.c.name))
    return [KnownHub(*row) for row in rows]


def is_kept(conn: Connection, name: str) -> bool:
    return conn.execute(select(hubs.c.name).where(hubs.c.name == name)).first() is not None


def is_free(conn: Connection, name: str) -> bool:
    """Return True if no server owns the hub or can take it before the transaction ends."""
    if conn.dialect.name != "postgresql":
        return True
    # The lock name that the kernel uses for exclusive tasks.
    lock = func.hashtextextended(f"quartet sync {lock_name(name)}", 0)
    free: bool = conn.execute(select(func.pg_try_advisory_xact_lock(lock))).scalar_one()
    return free


def put(conn: Connection, hub: KnownHub) -> None:
    remove(conn, hub.name)
    conn.execute(insert(hubs).values(**asdict(hub)))


def remove(conn: Connection, name: str) -> None:
    conn.execute(delete(hubs).where(hubs.c.name == name))
