"""SQL for folder links and the files they are replaced with."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from quartet.downloads.packages.states import TransitionName
from quartet.downloads.packages.store import apply_transition
from quartet.downloads.packages.tables import downloads, packages
from quartet.kernel.batches import in_batches
from quartet.kernel.errors import Problem
from quartet.kernel.files import safe_name


class FolderLink(NamedTuple):
    """A folder link that is being crawled."""

    id: int
    package_id: int
    plugin_id: str | None
    url: str
    name: str
    attempts: int


class NewFile(NamedTuple):
    """A file of a folder; `known` means that the hoster gave its name and size."""

    url: str
    host: str
    name: str
    plugin_id: str | None
    folder: bool
    size: int | None
    hash_type: str | None
    hash_value: str | None
    known: bool


def crawling(conn: Connection, limit: int, without: Collection[int]) -> list[FolderLink]:
    columns = [downloads.c[field] for field in FolderLink._fields]
    query = (
        select(*columns)
        .where(downloads.c.status == "crawling", downloads.c.id.not_in(without))
        .order_by(downloads.c.id)
        .limit(limit)
    )
    return [FolderLink(*row) for row in conn.execute(query)]


def crawl(conn: Connection, id: int) -> bool:
    """Mark the link as crawling; return False if its state has changed in the meantime."""
    values = {"error": None, "check_wanted": False, "online": "unknown"}
    return bool(apply_transition(conn, "crawl", downloads.c.id == id, **values))


def expand(conn: Connection, id: int, files: Sequence[NewFile], name: str) -> bool:
    """Replace the folder link with its files; return False if the link was deleted."""
    query = (
        select(downloads, packages.c.collector, packages.c.auto_named)
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(downloads.c.id == id, downloads.c.status == "crawling")
    )
    row = conn.execute(query).first()
    if row is None:
        return False
    if name and row.auto_named:
        _name_package(conn, row.package_id, name)
    conn.execute(delete(downloads).where(downloads.c.id == id))
    later = update(downloads).where(
        downloads.c.package_id == row.package_id, downloads.c.position > row.position
    )
    conn.execute(later.values(position=downloads.c.position + len(files) - 1))
    rows = [_values(row, file, row.position + place) for place, file in enumerate(files)]
    for some in in_batches(rows):
        conn.execute(insert(downloads), some)
    return True


def _values(folder: Row[Any], file: NewFile, position: int) -> dict[str, Any]:
    waiting = "collected" if folder.collector else "queued"
    return {
        "package_id": folder.package_id,
        "position": position,
        "url": file.url,
        "host": file.host,
        "name": file.name,
        "plugin_id": file.plugin_id,
        "status": "crawling" if file.folder else waiting,
        "online": "online" if file.known else "unknown",
        "check_wanted": folder.collector and not file.known and not file.folder,
        "size": file.size,
        "hash_type": file.hash_type,
        "hash_value": file.hash_value,
        "bytes_done": 0,
        "attempts": 0,
        "priority": folder.priority,
        "speed_limit_kib": folder.speed_limit_kib,
        "created_at": folder.created_at,
    }


def _name_package(conn: Connection, package_id: int, name: str) -> None:
    """Name the package after the folder if it contains nothing else."""
    of_package = downloads.c.package_id == package_id
    if conn.execute(select(func.count()).where(of_package)).scalar_one() != 1:
        return
    this = packages.c.id == package_id
    row = conn.execute(select(packages.c.name, packages.c.target_dir).where(this)).one()
    values: dict[str, Any] = {"name": name, "auto_named": False}
    if row.target_dir == safe_name(row.name):
        values["target_dir"] = safe_name(name)
    conn.execute(update(packages).where(this).values(**values))


def is_started(conn: Connection, package_id: int) -> bool:
    query = select(packages.c.collector).where(packages.c.id == package_id)
    return conn.execute(query).scalar_one_or_none() is False


def store_error(
    conn: Connection, id: int, act: TransitionName, problem: Problem, **values: Any
) -> None:
    """Keep the link and store the error."""
    apply_transition(conn, act, downloads.c.id == id, error=problem, **values)
