from typing import Any

import msgspec
from sqlalchemy import Connection, RowMapping, delete, insert, select, update

from quartet.media.naming.tables import formats
from quartet.media.naming.types import Format, NewFormat


def saved(conn: Connection) -> list[Format]:
    query = select(formats).order_by(formats.c.kind, formats.c.name, formats.c.id)
    return [_format(row) for row in conn.execute(query).mappings()]


def find(conn: Connection, id: str) -> Format | None:
    row = conn.execute(select(formats).where(formats.c.id == id)).mappings().one_or_none()
    return _format(row) if row else None


def add(conn: Connection, id: str, given: NewFormat) -> None:
    conn.execute(insert(formats).values(id=id, **msgspec.structs.asdict(given)))


def change(conn: Connection, id: str, given: NewFormat) -> bool:
    query = update(formats).where(formats.c.id == id).values(**msgspec.structs.asdict(given))
    return conn.execute(query).rowcount > 0


def remove(conn: Connection, id: str) -> bool:
    return conn.execute(delete(formats).where(formats.c.id == id)).rowcount > 0


def _format(row: RowMapping) -> Format:
    values: dict[str, Any] = dict(row)
    return Format(**values)
