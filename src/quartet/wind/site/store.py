import msgspec
from sqlalchemy import Connection, delete, select

from quartet.wind.site.tables import site_settings
from quartet.wind.site.types import StoredSetting
from quartet.wind.store_upsert import put


def stored(conn: Connection) -> dict[str, StoredSetting]:
    rows = conn.execute(select(site_settings))
    return {row.key: StoredSetting(*row) for row in rows}


def replace(conn: Connection, row: StoredSetting) -> None:
    put(conn, site_settings, [msgspec.structs.asdict(row)])


def remove(conn: Connection, key: str) -> None:
    conn.execute(delete(site_settings).where(site_settings.c.key == key))
