from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from quartet.media.roots.tables import folders, folders_begun
from quartet.media.roots.types import Folder


def all_folders(conn: Connection) -> list[Folder]:
    return [_folder(row) for row in conn.execute(select(folders).order_by(folders.c.id))]


def add(conn: Connection, path: str, name: str, kind: str, mounted: bool) -> int:
    query = insert(folders).values(path=path, name=name, kind=kind, default=False, mounted=mounted)
    id: int = conn.execute(query.returning(folders.c.id)).scalar_one()
    return id


def change(conn: Connection, id: int, values: dict[str, Any]) -> None:
    conn.execute(update(folders).where(folders.c.id == id).values(values))


def remove(conn: Connection, id: int) -> None:
    conn.execute(delete(folders).where(folders.c.id == id))


def set_defaults(conn: Connection, ids: Iterable[int]) -> None:
    """Make exactly these folders the defaults."""
    chosen = list(ids)
    conn.execute(update(folders).where(folders.c.id.in_(chosen)).values(default=True))
    conn.execute(update(folders).where(folders.c.id.not_in(chosen)).values(default=False))


def begin(conn: Connection) -> bool:
    """Return True only the first time."""
    if conn.execute(select(folders_begun.c.id)).first():
        return False
    conn.execute(insert(folders_begun).values(id=1))
    return True


def _folder(row: Row[Any]) -> Folder:
    values = dict(row._mapping)
    return Folder(**values | {"subtitles": tuple(values["subtitles"] or ())})
