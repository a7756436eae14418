import msgspec
from sqlalchemy import ColumnElement, Connection, and_, delete, insert, select

from quartet.media.match.tables import overrides
from quartet.media.match.types import Override, OverrideKey

_COLUMNS = [overrides.c[name] for name in Override.__struct_fields__]


def every(conn: Connection) -> list[Override]:
    query = select(*_COLUMNS).order_by(overrides.c.kind, overrides.c.title, overrides.c.year)
    return [Override(**row) for row in conn.execute(query).mappings()]


def remember(conn: Connection, given: Override, now: int) -> None:
    forget(conn, OverrideKey(given.kind, given.title, given.year))
    conn.execute(insert(overrides).values(created_at=now, **msgspec.structs.asdict(given)))


def forget(conn: Connection, key: OverrideKey) -> bool:
    return conn.execute(delete(overrides).where(_is(key))).rowcount > 0


def _is(key: OverrideKey) -> ColumnElement[bool]:
    return and_(
        overrides.c.kind == key.kind,
        overrides.c.title == key.title,
        overrides.c.year == key.year,
    )
