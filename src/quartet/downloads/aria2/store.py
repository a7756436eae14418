from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, false, func, insert, select, update

from quartet.downloads.aria2.tables import aria2_downloads, aria2_options
from quartet.downloads.aria2.types import StoredExtras
from quartet.downloads.packages.states import Status
from quartet.downloads.packages.store import download_of
from quartet.downloads.packages.tables import downloads, packages
from quartet.downloads.packages.types import Download
from quartet.downloads.request_headers import RequestHeaders, read_headers
from quartet.kernel.batches import in_batches

_ONLY = 1
_SHOWN = [downloads.c[field] for field in Download.__struct_fields__]


class FoundDownload(NamedTuple):
    download: Download
    target_dir: str
    extras: StoredExtras | None


def download_id(conn: Connection, gid: str) -> int | None:
    """Return the download to which a client gave this gid."""
    query = select(aria2_downloads.c.download_id).where(aria2_downloads.c.gid == gid)
    return conn.execute(query).scalar_one_or_none()


def in_queue(conn: Connection, statuses: Collection[Status]) -> list[int]:
    """Return the downloads in these states in queue order."""
    query = (
        select(downloads.c.id)
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(packages.c.collector == false(), downloads.c.status.in_(statuses))
        .order_by(packages.c.position, packages.c.id, downloads.c.position)
    )
    return list(conn.execute(query).scalars())


def count(conn: Connection) -> dict[str, int]:
    """Return the number of downloads in the queue by state."""
    query = (
        select(downloads.c.status, func.count())
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(packages.c.collector == false())
        .group_by(downloads.c.status)
    )
    return {status: number for status, number in conn.execute(query)}


def states(conn: Connection, ids: Collection[int] | None) -> dict[int, str]:
    """Return the state of these downloads of the queue, or of all."""
    query = (
        select(downloads.c.id, downloads.c.status)
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(packages.c.collector == false())
    )
    if ids is None:
        return {id: status for id, status in conn.execute(query)}
    found: dict[int, str] = {}
    for some in in_batches(list(ids)):
        found |= {id: status for id, status in conn.execute(query.where(downloads.c.id.in_(some)))}
    return found


def found_downloads(conn: Connection, ids: Sequence[int]) -> list[FoundDownload]:
    """Return these downloads in this order; those that do not exist are left out."""
    found: dict[int, FoundDownload] = {}
    for some in in_batches(list(ids)):
        extras = _extras(conn, some)
        query = (
            select(*_SHOWN, packages.c.target_dir)
            .join(packages, packages.c.id == downloads.c.package_id)
            .where(downloads.c.id.in_(some), packages.c.collector == false())
        )
        for row in conn.execute(query):
            found[row.id] = FoundDownload(download_of(row[:-1]), row.target_dir, extras.get(row.id))
    return [found[id] for id in ids if id in found]


def _extras(conn: Connection, ids: Collection[int]) -> dict[int, StoredExtras]:
    query = select(aria2_downloads).where(aria2_downloads.c.download_id.in_(ids))
    return {
        row.download_id: StoredExtras(row.gid, row.uris, row.options) for row in conn.execute(query)
    }


def gids(conn: Connection, ids: Collection[int]) -> dict[int, str]:
    """Return the gids that clients chose for these downloads."""
    found: dict[int, str] = {}
    for some in in_batches(list(ids)):
        found |= {id: extras.gid for id, extras in _extras(conn, some).items()}
    return found


def put_extras(conn: Connection, id: int, extras: StoredExtras) -> None:
    conn.execute(delete(aria2_downloads).where(aria2_downloads.c.download_id == id))
    conn.execute(insert(aria2_downloads).values(download_id=id, **extras._asdict()))


def request_headers(conn: Connection, id: int) -> RequestHeaders:
    query = select(downloads.c.request_headers).where(downloads.c.id == id)
    return read_headers(conn.execute(query).scalar_one_or_none())


def change(conn: Connection, id: int, values: Mapping[str, Any]) -> None:
    if values:
        conn.execute(update(downloads).where(downloads.c.id == id).values(**values))


def use_done_folder(conn: Connection, package_id: int) -> None:
    """Let the files of a package go directly into the done folder."""
    conn.execute(update(packages).where(packages.c.id == package_id).values(target_dir=""))


def siblings(conn: Connection, package_id: int) -> list[int]:
    """Return all downloads of a package in their order."""
    query = select(downloads.c.id).where(downloads.c.package_id == package_id)
    return list(conn.execute(query.order_by(downloads.c.position)).scalars())


def packages_of(conn: Connection, ids: Sequence[int]) -> dict[int, int]:
    """Return the package of each download."""
    found: dict[int, int] = {}
    for some in in_batches(list(ids)):
        query = select(downloads.c.id, downloads.c.package_id).where(downloads.c.id.in_(some))
        found |= {id: package_id for id, package_id in conn.execute(query)}
    return found


def order_downloads(conn: Connection, ids: Sequence[int]) -> None:
    """Give these downloads of one package the positions they have now, in this order."""
    query = select(downloads.c.position).where(downloads.c.id.in_(ids))
    places = sorted(conn.execute(query).scalars())
    for id, position in zip(ids, places, strict=True):
        conn.execute(update(downloads).where(downloads.c.id == id).values(position=position))


def delete_failed(conn: Connection) -> None:
    conn.execute(delete(downloads).where(downloads.c.status == "failed"))
    filled = select(downloads.c.package_id)
    conn.execute(delete(packages).where(packages.c.id.not_in(filled)))


def global_options(conn: Connection) -> bytes | None:
    return conn.execute(select(aria2_options.c.options)).scalar_one_or_none()


def put_global_options(conn: Connection, options: bytes) -> None:
    conn.execute(delete(aria2_options))
    conn.execute(insert(aria2_options).values(id=_ONLY, options=options))
