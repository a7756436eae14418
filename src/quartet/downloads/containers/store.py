from collections.abc import Mapping

from sqlalchemy import Connection, delete, insert, select

from quartet.downloads.containers.tables import watched_files
from quartet.downloads.containers.types import FileStamp


def read_files(conn: Connection) -> dict[str, FileStamp]:
    rows = conn.execute(select(watched_files))
    return {row.name: FileStamp(row.inode, row.size, row.changed) for row in rows}


def replace_files(conn: Connection, files: Mapping[str, FileStamp]) -> None:
    """Replace the stored files with these."""
    conn.execute(delete(watched_files))
    if files:
        rows = [{"name": name, **seen._asdict()} for name, seen in files.items()]
        conn.execute(insert(watched_files), rows)
