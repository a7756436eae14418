from msgspec.structs import asdict
from sqlalchemy import Connection, delete, insert, select

from quartet.sync.hubs.tables import hubs
from quartet.sync.hubs.types import KnownHub


def every(conn: Connection) -> list[KnownHub]:
    rows = conn.execute(select(hubs.c.name, hubs.c.engine_id, hubs.c.address).order_by(hubs.c.name))
    return [KnownHub(*row) for row in rows]


def put(conn: Connection, hub: KnownHub) -> None:
    conn.execute(delete(hubs).where(hubs.c.name == hub.name))
    conn.execute(insert(hubs).values(**asdict(hub)))
