from typing import Any

import msgspec
from sqlalchemy import Connection, Row, delete, insert, or_, select

from quartet.downloads.packages.tables import downloads, packages
from quartet.downloads.scripts.tables import due_scripts
from quartet.downloads.scripts.types import DueScript
from quartet.kernel.errors import Problem

_EXTRACTING = ("pending", "running")
_AT_ONCE = 100


def add(conn: Connection, package_id: int) -> None:
    """Have the script run for a package, once if it is added again before that."""
    conn.execute(delete(due_scripts).where(due_scripts.c.package_id == package_id))
    row = select(packages.c.id, packages.c.name, packages.c.target_dir)
    columns = ["package_id", "name", "target_dir"]
    conn.execute(insert(due_scripts).from_select(columns, row.where(packages.c.id == package_id)))


def due(conn: Connection) -> list[DueScript]:
    """Return the packages whose archives are extracted and whose files stay where they are."""
    query = (
        select(
            due_scripts,
            packages.c.name.label("now_name"),
            packages.c.target_dir.label("now_dir"),
            packages.c.extract,
            packages.c.extract_error,
        )
        .outerjoin(packages, packages.c.id == due_scripts.c.package_id)
        .where(
            or_(packages.c.extract.is_(None), packages.c.extract.not_in(_EXTRACTING)),
            packages.c.moved_from.is_(None),
        )
        .order_by(due_scripts.c.id)
        .limit(_AT_ONCE)
    )
    return [_due_script(conn, row) for row in conn.execute(query).all()]


def _due_script(conn: Connection, row: Row[Any]) -> DueScript:
    if row.now_name is None:
        return DueScript(row.id, row.package_id, row.name, row.target_dir, [])
    error = None if row.extract_error is None else msgspec.convert(row.extract_error, Problem)
    files = _files(conn, row.package_id)
    return DueScript(row.id, row.package_id, row.now_name, row.now_dir, files, row.extract, error)


def _files(conn: Connection, package_id: int) -> list[str]:
    query = select(downloads.c.file).where(
        downloads.c.package_id == package_id,
        downloads.c.status == "finished",
        downloads.c.file.is_not(None),
    )
    return list(conn.execute(query.order_by(downloads.c.position)).scalars())


def remove(conn: Connection, id: int) -> None:
    conn.execute(delete(due_scripts).where(due_scripts.c.id == id))
