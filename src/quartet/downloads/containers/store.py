from collections.abc import Mapping

from sqlalchemy import Connection, delete, insert, select, update

from quartet.downloads.containers.tables import watched_files
from quartet.downloads.containers.types import FileDetails, FileStamp
from quartet.downloads.packages.tables import downloads


def set_details(conn: Connection, package_id: int, details: Mapping[str, FileDetails]) -> None:
    """Set what is known about the files of a package."""
    for url, known in details.items():
        query = update(downloads).where(
            downloads.c.package_id == package_id, downloads.c.url == url
        )
        conn.execute(query.values(**known.columns))


def read_files(conn: Connection) -> dict[str, FileStamp]:
    rows = conn.execute(select(watched_files))
    return {row.name: FileStamp(row.inode, row.size, row.changed) for row in rows}


def replace_files(conn: Connection, files: Mapping[str, FileStamp]) -> None:
    """Replace the stored files with these."""
    conn.execute(delete(watched_files))
    if files:
        rows = [{"name": name, **seen._asdict()} for name, seen in files.items()]
        conn.execute(insert(watched_files), rows)
