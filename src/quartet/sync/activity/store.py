from collections.abc import Iterable

from sqlalchemy import Connection, and_, delete, func, insert, or_, select

from quartet.sync.accounts.types import View
from quartet.sync.activity.tables import events
from quartet.sync.activity.types import ActivityEvent, ActivityRecord


def add(conn: Connection, record: Iterable[ActivityRecord], kept: int) -> None:
    rows = [
        {
            "at": each.at,
            "device": each.device_id,
            "folder": each.folder_id,
            "kind": each.kind,
            "text": {"code": each.code, "inputs": each.inputs},
        }
        for each in record
    ]
    conn.execute(insert(events), rows)
    newest = conn.execute(select(func.max(events.c.id))).scalar_one()
    conn.execute(delete(events).where(events.c.id <= newest - kept))


def page(
    conn: Connection, before: int | None, limit: int, view: View | None = None
) -> list[ActivityEvent]:
    """Return events, newest first."""
    query = select(events)
    if view is not None:
        of_device = and_(events.c.folder.is_(None), events.c.device.in_(view.devices))
        query = query.where(or_(events.c.folder.in_(view.folders), of_device))
    if before is not None:
        query = query.where(events.c.id < before)
    rows = conn.execute(query.order_by(events.c.id.desc()).limit(limit))
    return [
        ActivityEvent(
            row.id, row.at, row.device, row.folder, row.kind, row.text["code"], row.text["inputs"]
        )
        for row in rows
    ]
