from typing import Any

import msgspec
from sqlalchemy import Connection, delete, exists, insert, select

from quartet.downloads.notices.tables import notices
from quartet.downloads.notices.types import NoticeSettings, NotificationState
from quartet.downloads.packages.tables import downloads, packages
from quartet.downloads.queue.types import SPACE_ERRORS

_ONLY = 1
_MOST = 1000


def settings(conn: Connection) -> NoticeSettings:
    found = conn.execute(select(notices.c.settings)).scalar_one_or_none()
    return NoticeSettings() if found is None else msgspec.convert(found, NoticeSettings)


def put(conn: Connection, value: NoticeSettings) -> None:
    conn.execute(delete(notices))
    conn.execute(insert(notices).values(id=_ONLY, settings=value))


def notification_state(conn: Connection, since: int) -> NotificationState:
    """`since` in Unix milliseconds limits the finished packages."""
    return NotificationState(_finished(conn, since), _failed(conn), _full(conn))


def _finished(conn: Connection, since: int) -> dict[int, str]:
    """Return packages whose last download was finished since then."""
    late = select(downloads.c.package_id).where(
        downloads.c.status == "finished", downloads.c.finished_at >= since
    )
    unfinished = exists().where(
        downloads.c.package_id == packages.c.id, downloads.c.status != "finished"
    )
    query = select(packages.c.id, packages.c.name).where(packages.c.id.in_(late), ~unfinished)
    return {row.id: row.name for row in conn.execute(query.limit(_MOST))}


def _failed(conn: Connection) -> dict[int, tuple[str, str]]:
    columns = (downloads.c.id, downloads.c.name, downloads.c.error)
    query = select(*columns).where(downloads.c.status == "failed")
    rows = conn.execute(query.order_by(downloads.c.id.desc()).limit(_MOST))
    return {row.id: (row.name, _code(row.error)) for row in rows}


def _full(conn: Connection) -> dict[int, str]:
    """Return the downloads that were paused because the disk is full."""
    columns = (downloads.c.id, downloads.c.name, downloads.c.error)
    query = select(*columns).where(downloads.c.status == "paused", downloads.c.error.is_not(None))
    rows = conn.execute(query.order_by(downloads.c.id.desc()).limit(_MOST))
    return {row.id: row.name for row in rows if _code(row.error) in SPACE_ERRORS}


def _code(error: Any) -> str:
    return str(error.get("code", "")) if isinstance(error, dict) else ""
