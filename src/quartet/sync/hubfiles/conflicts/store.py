from collections.abc import Iterable

from sqlalchemy import Connection, delete, insert, select

from quartet.sync.config.tables import folders
from quartet.sync.hubfiles.conflicts.tables import conflicts
from quartet.sync.hubfiles.conflicts.types import KnownConflict


def load_all(conn: Connection) -> dict[int, dict[str, KnownConflict]]:
    """Return known conflicts by folder id and path."""
    found: dict[int, dict[str, KnownConflict]] = {}
    for row in conn.execute(select(conflicts)):
        found.setdefault(row.folder_id, {})[row.copy_path] = KnownConflict(
            row.copy_path, row.made_by
        )
    return found


def put(
    conn: Connection, folder_id: int, known: Iterable[KnownConflict], gone: Iterable[str]
) -> None:
    """Update the conflicts of a folder, unless the folder was removed."""
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
