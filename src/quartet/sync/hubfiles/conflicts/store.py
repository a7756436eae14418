from collections.abc import Iterable

from sqlalchemy import Connection, delete, insert, select

from quartet.sync.config.tables import folders
from quartet.sync.hubfiles.conflicts.tables import conflicts
from quartet.sync.hubfiles.conflicts.types import Known


def every(conn: Connection) -> dict[int, dict[str, Known]]:
    """By folder and path."""
    found: dict[int, dict[str, Known]] = {}
    for row in conn.execute(select(conflicts)):
        found.setdefault(row.folder_id, {})[row.copy_path] = Known(row.copy_path, row.made_by)
    return found


def put(conn: Connection, folder_id: int, known: Iterable[Known], gone: Iterable[str]) -> None:
    """Of a folder that was removed meanwhile nothing is kept."""
    if conn.execute(select(folders.c.id).where(folders.c.id == folder_id)).first() is None:
        return
    known = list(known)
    for path in {*gone, *(each.copy_path for each in known)}:
        conn.execute(
            delete(conflicts).where(
                conflicts.c.folder_id == folder_id, conflicts.c.copy_path == path
            )
        )
    if known:
        conn.execute(
            insert(conflicts),
            [
                {"folder_id": folder_id, "copy_path": each.copy_path, "made_by": each.made_by}
                for each in known
            ],
        )
