import msgspec
from sqlalchemy import Connection, delete, select

from quartet.wind.rows import put
from quartet.wind.site.tables import site_settings
from quartet.wind.site.types import Stored


def stored(conn: Connection) -> dict[str, Stored]:
    rows = conn.execute(select(site_settings))
    return {row.key: Stored(*row) for row in rows}


def replace(conn: Connection, row: Stored) -> None:
    put(conn, site_settings, [msgspec.structs.asdict(row)])


def remove(conn: Connection, key: str) -> None:
    conn.execute(delete(site_settings).where(site_settings.c.key == key))
