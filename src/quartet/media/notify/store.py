import msgspec
from sqlalchemy import Connection, delete, insert, select

from quartet.media.notify.tables import notifications as table
from quartet.media.notify.types import Notifications

_ONLY = 1


def current(conn: Connection) -> Notifications:
    stored = conn.execute(select(table.c.value)).scalar_one_or_none()
    return msgspec.convert(stored, Notifications) if stored else Notifications()


def replace(conn: Connection, value: Notifications) -> None:
    conn.execute(delete(table))
    conn.execute(insert(table).values(id=_ONLY, value=value))
