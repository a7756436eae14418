from typing import Any

from sqlalchemy import Connection, delete, insert, select

from quartet.media.options.tables import options as table

ONLY = 1


def options(conn: Connection) -> dict[str, Any]:
    """Return the stored value with encrypted keys."""
    stored: dict[str, Any] | None = conn.execute(select(table.c.value)).scalar_one_or_none()
    return stored or {}


def replace(conn: Connection, value: dict[str, Any]) -> None:
    conn.execute(delete(table))
    conn.execute(insert(table).values(id=ONLY, value=value))
