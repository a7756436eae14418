from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection, delete, insert, select

from quartet.downloads.options.tables import archive_passwords
from quartet.downloads.options.tables import options as table
from quartet.downloads.options.types import Options

ONLY = 1
_STORED = select(table.c.value)


def options(conn: Connection) -> Options:
    stored = conn.execute(_STORED).scalar_one_or_none()
    return msgspec.convert(stored, Options) if stored else Options()


def replace_options(conn: Connection, value: Options) -> None:
    conn.execute(delete(table))
    conn.execute(insert(table).values(id=ONLY, value=value))


def passwords(conn: Connection) -> list[str]:
    query = select(archive_passwords.c.password).order_by(archive_passwords.c.position)
    return list(conn.execute(query).scalars())


def replace_passwords(conn: Connection, given: Sequence[str]) -> None:
    conn.execute(delete(archive_passwords))
    rows = [{"password": text, "position": place} for place, text in enumerate(given, start=1)]
    if rows:
        conn.execute(insert(archive_passwords), rows)
