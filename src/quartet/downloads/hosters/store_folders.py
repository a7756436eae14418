"""SQL for folder links and the files they are replaced with."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, delete, func, insert, select, true, update

from quartet.downloads.grabber.store import copy_package
from quartet.downloads.input_cleanup import target_dir
from quartet.downloads.packages.states import TransitionName
from quartet.downloads.packages.store import apply_transition
from quartet.downloads.packages.tables import downloads, packages
from quartet.downloads.request_headers import RequestHeaders, sent_headers
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
    crawl_depth: int | None
    request_headers: RequestHeaders


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
    # The subfolder of a directory index.
    path: str = ""


def crawling(conn: Connection, limit: int, without: Collection[int]) -> list[FolderLink]:
    columns = [downloads.c[field] for field in FolderLink._fields]
    query = (
        select(*columns, packages.c.source_page)
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(downloads.c.status == "crawling", downloads.c.id.not_in(without))
        .order_by(downloads.c.id)
        .limit(limit)
    )
    return [
        FolderLink._make((*row[:-2], sent_headers(row.request_headers, row.source_page)))
        for row in conn.execute(query)
    ]


def crawl(conn: Connection, id: int) -> bool:
    """Mark the link as crawling; return False if its state has changed in the meantime."""
    values = {"error": None, "check_wanted": False, "online": "unknown"}
    return bool(apply_transition(conn, "crawl", downloads.c.id == id, **values))


def expand(conn: Connection, id: int, files: Sequence[NewFile], name: str) -> list[int]:
    """Replace the folder link with its files; return one of them for each package.

    The files of each subfolder become a package with that folder. Returns an empty list if the link
    was deleted.
    """
    query = (
        select(downloads, packages.c.collector, packages.c.auto_named)
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(downloads.c.id == id, downloads.c.status == "crawling")
    )
    row = conn.execute(query).first()
    if row is None:
        return []
    if name and row.auto_named:
        _name_package(conn, row.package_id, name)
    conn.execute(delete(downloads).where(downloads.c.id == id))
    groups: dict[str, list[NewFile]] = {}
    for file in files:
        groups.setdefault(file.path, []).append(file)
    return _fill(conn, row, groups)


def _fill(conn: Connection, row: Row[Any], groups: dict[str, list[NewFile]]) -> list[int]:
    """Put files in the place of the link, and those of subfolders into packages of their own."""
    of_package = downloads.c.package_id == row.package_id
    own = groups.pop("", [])
    later = update(downloads).where(of_package, downloads.c.position > row.position)
    conn.execute(later.values(position=downloads.c.position + len(own) - 1))
    first = [_insert(conn, row, row.package_id, own, row.position)] if own else []
    this = packages.c.id == row.package_id
    root = conn.execute(select(packages.c.name, packages.c.target_dir).where(this)).one()
    others = [
        _insert(conn, row, _subpackage(conn, row.package_id, root, path), files, 1)
        for path, files in groups.items()
    ]
    if conn.execute(select(downloads.c.id).where(of_package).limit(1)).first() is None:
        conn.execute(delete(packages).where(this))
    return first + others


def _subpackage(conn: Connection, package_id: int, root: Row[str, str], path: str) -> int:
    """Create a package for a subfolder; its name and folder start with those of the root."""
    folder = f"{root.target_dir}/{target_dir(path)}"
    return copy_package(conn, package_id, f"{root.name}/{path}", folder)


def _insert(
    conn: Connection, row: Row[Any], package_id: int, files: Sequence[NewFile], position: int
) -> int:
    """Add files to a package, and return the id of the last one."""
    rows = [_values(row, file, position + place) for place, file in enumerate(files)]
    for some in in_batches([{**each, "package_id": package_id} for each in rows]):
        conn.execute(insert(downloads), some)
    last = select(func.max(downloads.c.id)).where(downloads.c.package_id == package_id)
    found: int = conn.execute(last).scalar_one()
    return found


def remove(conn: Connection, id: int) -> bool:
    """Delete a link that was replaced with other packages, and its package if it is empty.

    Returns False if it was deleted before.
    """
    query = delete(downloads).where(downloads.c.id == id).returning(downloads.c.package_id)
    package_id = conn.execute(query).scalar_one_or_none()
    rest = select(downloads.c.id).where(downloads.c.package_id == package_id).limit(1)
    if package_id is not None and conn.execute(rest).first() is None:
        conn.execute(delete(packages).where(packages.c.id == package_id))
    return package_id is not None


def treat_as_file(conn: Connection, id: int, package_id: int) -> None:
    """Check or download the link itself, because it leads to a file."""
    this = downloads.c.id == id
    if is_started(conn, package_id):
        apply_transition(conn, "crawl_later", this, crawl_depth=None, retry_at=None, error=None)
    else:
        apply_transition(conn, "return", this, crawl_depth=None, check_wanted=True, error=None)


def search_pages(conn: Connection, ids: Collection[int], depth: int) -> int:
    """Crawl plain web links of the link grabber; return how many there are."""
    collected = select(packages.c.id).where(packages.c.collector == true())
    found = apply_transition(
        conn,
        "crawl",
        downloads.c.id.in_(ids),
        downloads.c.package_id.in_(collected),
        downloads.c.plugin_id.is_(None),
        downloads.c.url.like("http%"),
        downloads.c.status == "collected",
        crawl_depth=depth,
        error=None,
        check_wanted=False,
        online="unknown",
    )
    return len(found)


def _values(folder: Row[Any], file: NewFile, position: int) -> dict[str, Any]:
    waiting = "collected" if folder.collector else "queued"
    return {
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
        "started_now": folder.started_now and not folder.collector,
        "speed_limit_kib": folder.speed_limit_kib,
        "created_at": folder.created_at,
        # They belong to the host of the page.
        "request_headers": folder.request_headers if file.host == folder.host else None,
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
