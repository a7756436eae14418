from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, delete, false, func, insert, or_, select, update

from quartet.downloads.aria2.tables import aria2_downloads, aria2_options
from quartet.downloads.aria2.types import Aria2Extras
from quartet.downloads.bittorrent import store as torrents
from quartet.downloads.bittorrent.magnets import HOST_PREFIX
from quartet.downloads.packages.states import Status
from quartet.downloads.packages.store_pages import DOWNLOAD_COLUMNS, download_of
from quartet.downloads.packages.tables import downloads, packages
from quartet.downloads.packages.types import Download
from quartet.downloads.request_headers import RequestHeaders, read_headers
from quartet.kernel.batches import in_batches

_ONLY = 1


class State(NamedTuple):
    status: Status
    torrent: bool = False


class FoundDownload(NamedTuple):
    download: Download
    target_dir: str
    # Other addresses of the same file.
    mirrors: list[str]
    extras: Aria2Extras | None
    # All files of a torrent, and its info hash.
    files: list[Download] = []
    info_hash: str = ""


def download_id(conn: Connection, gid: str) -> int | None:
    """Return the download to which a client gave this gid."""
    query = select(aria2_downloads.c.download_id).where(aria2_downloads.c.gid == gid)
    return conn.execute(query).scalar_one_or_none()


def in_queue(conn: Connection, statuses: Collection[Status]) -> list[int]:
    """Return the downloads in these states in queue order."""
    of_torrent = downloads.c.torrent_file.is_not(None)
    query = (
        select(downloads.c.id, downloads.c.status, downloads.c.package_id, of_torrent)
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(packages.c.collector == false(), or_(of_torrent, downloads.c.status.in_(statuses)))
        .order_by(packages.c.position, packages.c.id, downloads.c.position)
    )
    found: list[int] = []
    seeded = set(torrents.seeding(conn))
    for id, rows in groupby(conn.execute(query), key=lambda row: row.package_id):
        group = list(rows)
        if not group[0][-1]:
            found += [row.id for row in group]
        elif torrent_state([row.status for row in group], seeded=id in seeded) in statuses:
            found.append(group[0].id)
    return found


# The state of a torrent is the first of these that one of its files has.
_TORRENT_STATES: tuple[Status, ...] = (
    "downloading",
    "resolving",
    "queued",
    "paused",
    "failed",
    "finished",
)


def torrent_state(states: Sequence[Status], *, seeded: bool = False) -> Status:
    """Return the state of a torrent; for aria2, one that is seeded is still active."""
    if seeded and {*states} <= {"finished", "skipped"}:
        return "downloading"
    return next((each for each in _TORRENT_STATES if each in states), "paused")


def count(conn: Connection) -> dict[str, int]:
    """Return the number of downloads in the queue by state."""
    query = (
        select(downloads.c.status, func.count())
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(packages.c.collector == false(), downloads.c.torrent_file.is_(None))
        .group_by(downloads.c.status)
    )
    found = Counter({status: number for status, number in conn.execute(query)})
    shown = _torrent_states(conn, None, torrents.seeding(conn))
    found.update(each.status for each in shown.values())
    return dict(found)


def states(conn: Connection, ids: Collection[int] | None) -> dict[int, State]:
    """Return the state of these downloads of the queue, or of all.

    The first file of a torrent has the state of the torrent, and stands for its other files.
    """
    torrent = downloads.c.torrent_file.is_not(None)
    query = (
        select(downloads.c.id, downloads.c.status, downloads.c.package_id, torrent)
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(packages.c.collector == false())
    )
    parts = (
        [query.where(~torrent)]
        if ids is None
        else [query.where(downloads.c.id.in_(some)) for some in in_batches(list(ids))]
    )
    found: dict[int, State] = {}
    changed: set[int] = set()
    for part in parts:
        for id, status, package_id, of_torrent in conn.execute(part):
            if of_torrent:
                changed.add(package_id)
            else:
                found[id] = State(status)
    return found | _torrent_states(conn, None if ids is None else changed)


def _torrent_states(
    conn: Connection, package_ids: Collection[int] | None, seeded: Collection[int] = ()
) -> dict[int, State]:
    """Return the states of these torrents, or of all, each with the id of its first file."""
    query = (
        select(downloads.c.id, downloads.c.status, downloads.c.package_id)
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(packages.c.collector == false(), downloads.c.torrent_file.is_not(None))
        .order_by(downloads.c.package_id, downloads.c.position)
    )
    parts = (
        [query]
        if package_ids is None
        else [
            query.where(downloads.c.package_id.in_(some)) for some in in_batches(list(package_ids))
        ]
    )
    found: dict[int, State] = {}
    for part in parts:
        for id, rows in groupby(conn.execute(part), key=lambda row: row.package_id):
            group = list(rows)
            state = torrent_state([row.status for row in group], seeded=id in seeded)
            found[group[0].id] = State(state, torrent=True)
    return found


def found_downloads(conn: Connection, ids: Sequence[int]) -> list[FoundDownload]:
    """Return these downloads in this order; those that do not exist are left out."""
    found: dict[int, FoundDownload] = {}
    seeded = torrents.seeding(conn)
    for some in in_batches(list(ids)):
        extras = _extras(conn, some)
        query = (
            select(*DOWNLOAD_COLUMNS, packages.c.target_dir, downloads.c.mirrors)
            .join(packages, packages.c.id == downloads.c.package_id)
            .where(downloads.c.id.in_(some), packages.c.collector == false())
        )
        for row in conn.execute(query):
            download = download_of(row[:-2])
            files, info_hash = _torrent(conn, download)
            if files:
                statuses = [each.status for each in files]
                state = torrent_state(statuses, seeded=download.package_id in seeded)
                download = msgspec.structs.replace(download, status=state)
            extra = extras.get(row.id)
            found[row.id] = FoundDownload(
                download, row.target_dir, row.mirrors or [], extra, files, info_hash
            )
    return [found[id] for id in ids if id in found]


def _torrent(conn: Connection, download: Download) -> tuple[list[Download], str]:
    """Return all files of the torrent of a download and its info hash."""
    if not download.host.startswith(HOST_PREFIX):
        return [], ""
    query = select(*DOWNLOAD_COLUMNS).where(downloads.c.package_id == download.package_id)
    rows = conn.execute(query.order_by(downloads.c.position))
    return [download_of(row) for row in rows], download.host.removeprefix(HOST_PREFIX)


def _extras(conn: Connection, ids: Collection[int]) -> dict[int, Aria2Extras]:
    query = select(aria2_downloads).where(aria2_downloads.c.download_id.in_(ids))
    return {row.download_id: Aria2Extras(row.gid, row.options) for row in conn.execute(query)}


def gids(conn: Connection, ids: Collection[int]) -> dict[int, str]:
    """Return the gids that clients chose for these downloads."""
    found: dict[int, str] = {}
    for some in in_batches(list(ids)):
        found |= {id: extras.gid for id, extras in _extras(conn, some).items()}
    return found


def put_extras(conn: Connection, id: int, extras: Aria2Extras) -> None:
    conn.execute(delete(aria2_downloads).where(aria2_downloads.c.download_id == id))
    conn.execute(insert(aria2_downloads).values(download_id=id, uris=[], **extras._asdict()))


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


def global_options(conn: Connection) -> bytes | None:
    return conn.execute(select(aria2_options.c.options)).scalar_one_or_none()


def put_global_options(conn: Connection, options: bytes) -> None:
    conn.execute(delete(aria2_options))
    conn.execute(insert(aria2_options).values(id=_ONLY, options=options))
