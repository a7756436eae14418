from typing import Any

import msgspec
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Row,
    delete,
    func,
    literal,
    or_,
    select,
    update,
)

from quartet.downloads.done.types import KnownFiles, PackageHere
from quartet.downloads.extraction.store import failures
from quartet.downloads.extraction.tables import extractions
from quartet.downloads.packages.tables import downloads, packages
from quartet.kernel.errors import Problem


def known_files(conn: Connection, folder: str) -> KnownFiles:
    return KnownFiles(
        {**_packages_of_folders(conn, folder), **_of_files(conn, folder)}, failures(conn)
    )


def _packages_of_folders(conn: Connection, folder: str) -> dict[str, PackageHere]:
    """Return the newest package of each folder; several may share one."""
    place = packages.c.target_dir
    # Includes deeper folders, which are not used.
    query = select(packages).where(_at_or_below(place, folder)).order_by(packages.c.id)
    return {row.target_dir: _to_package(row) for row in conn.execute(query)}


def _of_files(conn: Connection, folder: str) -> dict[str, PackageHere]:
    query = (
        select(downloads.c.file, packages)
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(
            packages.c.target_dir == folder,
            downloads.c.status == "finished",
            downloads.c.file.is_not(None),
        )
    )
    return {row.file: _to_package(row) for row in conn.execute(query)}


def _to_package(row: Row[Any]) -> PackageHere:
    error = None if row.extract_error is None else msgspec.convert(row.extract_error, Problem)
    return PackageHere(row.id, row.name, row.extract, error)


def deleted(conn: Connection, path: str) -> None:
    """Remove references to deleted files, because another file may get the same path."""
    finished = downloads.c.status == "finished"
    query = update(downloads).where(finished, _at_or_below(downloads.c.file, path))
    conn.execute(query.values(file=None))
    conn.execute(delete(extractions).where(_at_or_below(extractions.c.path, path)))


def moved(conn: Connection, old: str, new: str) -> None:
    """Update packages and downloads after their folders and files were moved."""
    finished = downloads.c.status == "finished"
    _put_below(conn, downloads.c.file, old, new, finished)
    _put_below(conn, packages.c.target_dir, old, new)
    conn.execute(delete(extractions).where(_at_or_below(extractions.c.path, new)))
    _put_below(conn, extractions.c.path, old, new)


def _at_or_below(column: Column[Any], path: str) -> ColumnElement[bool]:
    if not path:
        return column.is_not(None)
    # Compared with substr, because LIKE is case-insensitive on SQLite.
    below = func.substr(column, 1, len(path) + 1) == f"{path}/"
    return or_(column == path, below)


def _put_below(
    conn: Connection, column: Column[Any], old: str, new: str, *where: ColumnElement[bool]
) -> None:
    value = literal(new).concat(func.substr(column, len(old) + 1))
    query = update(column.table).where(_at_or_below(column, old), *where)
    conn.execute(query.values({column: value}))
