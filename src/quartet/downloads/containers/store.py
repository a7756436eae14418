from collections.abc import Mapping

from sqlalchemy import Connection, delete, insert, select

from quartet.downloads.containers.tables import watched_files
from quartet.downloads.containers.types import Seen


def read_files(conn: Connection) -> dict[str, Seen]:
    rows = conn.execute(select(watched_files))
    return {row.name: Seen(row.inode, row.size, row.changed) for row in rows}


def keep(conn: Connection, files: Mapping[str, Seen]) -> None:
    """These and no others."""
    conn.execute(delete(watched_files))
    if files:
        rows = [{"name": name, **seen._asdict()} for name, seen in files.items()]
        conn.execute(insert(watched_files), rows)
