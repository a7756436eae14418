from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from quartet.downloads.server_logins.tables import server_logins as table
from quartet.downloads.server_logins.types import ServerLogin
from quartet.downloads.transfer import ServerCredentials


def all_logins(conn: Connection) -> list[ServerLogin]:
    query = select(table.c.id, table.c.address, table.c.user).order_by(table.c.address)
    return [ServerLogin(*row) for row in conn.execute(query)]


def with_passwords(conn: Connection) -> list[ServerCredentials]:
    query = select(table.c.address, table.c.user, table.c.password)
    return [ServerCredentials(*row) for row in conn.execute(query)]


def count(conn: Connection) -> int:
    return conn.execute(select(func.count()).select_from(table)).scalar_one()


def id_of(conn: Connection, address: str) -> int | None:
    query = select(table.c.id).where(table.c.address == address)
    return conn.execute(query).scalar_one_or_none()


def add(conn: Connection, values: Mapping[str, Any]) -> int:
    id: int = conn.execute(insert(table).values(**values).returning(table.c.id)).scalar_one()
    return id


def change(conn: Connection, id: int, values: Mapping[str, Any]) -> bool:
    """Change a login; return False if it does not exist."""
    if not values:
        return conn.execute(select(table.c.id).where(table.c.id == id)).first() is not None
    return conn.execute(update(table).where(table.c.id == id).values(**values)).rowcount > 0


def remove(conn: Connection, id: int) -> bool:
    return conn.execute(delete(table).where(table.c.id == id)).rowcount > 0
