import msgspec
from sqlalchemy import Connection, delete, insert, select

from quartet.sync.notices.tables import notices
from quartet.sync.notices.types import NoticeSettings

ONLY = 1


def settings(conn: Connection) -> NoticeSettings:
    found = conn.execute(select(notices.c.settings)).scalar_one_or_none()
    return NoticeSettings() if found is None else msgspec.convert(found, NoticeSettings)


def put(conn: Connection, settings: NoticeSettings) -> None:
    conn.execute(delete(notices))
    conn.execute(insert(notices).values(id=ONLY, settings=settings))
