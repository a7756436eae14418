from typing import Any

import msgspec
from sqlalchemy import Connection, Row, delete, insert, select, update

from quartet.media.watch.tables import watch_folders
from quartet.media.watch.types import NewWatchFolder, WatchFolder


def every(conn: Connection) -> list[WatchFolder]:
    return [_folder(row) for row in conn.execute(select(watch_folders).order_by(_id()))]


def find(conn: Connection, id: int) -> WatchFolder | None:
    row = conn.execute(select(watch_folders).where(_id() == id)).first()
    return _folder(row) if row else None


def add(conn: Connection, given: NewWatchFolder, now: int) -> int:
    values = {"name": given.name, "value": given, "created_at": now}
    id: int = conn.execute(insert(watch_folders).values(values).returning(_id())).scalar_one()
    return id


def change(conn: Connection, id: int, given: NewWatchFolder, since: int) -> None:
    values = {"name": given.name, "value": given, "created_at": since}
    conn.execute(update(watch_folders).where(_id() == id).values(values))


def detected(conn: Connection, id: int, now: int) -> None:
    conn.execute(update(watch_folders).where(_id() == id).values(last_event_at=now))


def remove(conn: Connection, id: int) -> None:
    conn.execute(delete(watch_folders).where(_id() == id))


def _id() -> Any:
    return watch_folders.c.id


def _folder(row: Row[Any]) -> WatchFolder:
    about = {"id": row.id, "createdAt": row.created_at, "lastEventAt": row.last_event_at}
    return msgspec.convert(row.value | about, WatchFolder)
