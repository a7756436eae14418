from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection, Table, delete, func, insert, select

from quartet.kernel.audit.types import AuditEntry


def add(conn: Connection, table: Table, entries: Sequence[AuditEntry], keep: int) -> None:
    """Add entries and delete the oldest ones beyond the number to keep."""
    rows = [msgspec.structs.asdict(entry) for entry in entries]
    conn.execute(insert(table), [{k: v for k, v in row.items() if k != "id"} for row in rows])
    newest = conn.execute(select(func.max(table.c.id))).scalar_one()
    conn.execute(delete(table).where(table.c.id <= newest - keep))


def page(
    conn: Connection, table: Table, *, before: int | None, event: str | None, limit: int
) -> list[AuditEntry]:
    query = select(*(table.c[name] for name in AuditEntry.__struct_fields__))
    if before is not None:
        query = query.where(table.c.id < before)
    if event is not None:
        query = query.where(table.c.event == event)
    rows = conn.execute(query.order_by(table.c.id.desc()).limit(limit))
    return [AuditEntry(*row) for row in rows]
