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

from quartet.downloads.done.types import FolderChange, KnownFiles, PackageHere
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
    """Update packages and downloads after their folders and files were moved or renamed."""
    finished = downloads.c.status == "finished"
    _put_below(conn, downloads.c.file, old, new, finished)
    name = new.rpartition("/")[2]
    conn.execute(update(downloads).where(finished, downloads.c.file == new).values(name=name))
    _put_below(conn, packages.c.target_dir, old, new)
    conn.execute(delete(extractions).where(_at_or_below(extractions.c.path, new)))
    _put_below(conn, extractions.c.path, old, new)


def folder_changes(conn: Connection) -> list[FolderChange]:
    query = select(packages.c.id, packages.c.target_dir, packages.c.moved_from)
    rows = conn.execute(query.where(packages.c.moved_from.is_not(None)))
    return [FolderChange(*row) for row in rows]


def others_in_folder(conn: Connection, package_id: int, folder: str) -> list[str]:
    """Return the folders of other packages at or below this folder."""
    query = select(packages.c.target_dir).where(
        packages.c.id != package_id, _at_or_below(packages.c.target_dir, folder)
    )
    return list(conn.execute(query).scalars())


def finished_files(conn: Connection, package_id: int, folder: str) -> list[str]:
    """Return the finished files of a package that are directly in this folder."""
    query = select(downloads.c.file).where(
        downloads.c.package_id == package_id,
        downloads.c.status == "finished",
        downloads.c.file.is_not(None),
    )
    files = conn.execute(query).scalars()
    return [file for file in files if file.rpartition("/")[0] == folder]


def finish_folder_change(conn: Connection, change: FolderChange) -> bool:
    """Forget the former folders; return False while a download is moved to one of them."""
    query = select(downloads.c.file).where(
        downloads.c.package_id == change.id, downloads.c.file.is_not(None)
    )
    folders = {file.rpartition("/")[0] for file in conn.execute(query).scalars()}
    if folders & set(change.moved_from) - {change.target_dir}:
        return False
    this = packages.c.id == change.id
    unchanged = packages.c.target_dir == change.target_dir
    conn.execute(update(packages).where(this, unchanged).values(moved_from=None))
    return True


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
