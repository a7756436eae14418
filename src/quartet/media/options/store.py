import msgspec
from sqlalchemy import Connection, delete, insert, select

from quartet.media.options.tables import options as table
from quartet.media.options.types import Options

ONLY = 1


def options(conn: Connection) -> Options:
    stored = conn.execute(select(table.c.value)).scalar_one_or_none()
    return msgspec.convert(stored, Options) if stored else Options()


def replace(conn: Connection, value: Options) -> None:
    conn.execute(delete(table))
    conn.execute(insert(table).values(id=ONLY, value=value))
