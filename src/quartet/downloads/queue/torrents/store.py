"""SQL for torrents in the queue."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    case,
    exists,
    false,
    func,
    insert,
    select,
    true,
    update,
)

from quartet.downloads.bittorrent import store as torrents_store
from quartet.downloads.bittorrent.file_rows import file_rows
from quartet.downloads.bittorrent.store import StoredTorrent
from quartet.downloads.bittorrent.tables import torrents as torrents_table
from quartet.downloads.bittorrent.types import Metainfo
from quartet.downloads.options.types import Options
from quartet.downloads.packages.states import ACTIVE, Status, TransitionName
from quartet.downloads.packages.store import apply_transition
from quartet.downloads.packages.tables import downloads, packages
from quartet.downloads.packages.types import Online
from quartet.downloads.queue import store
from quartet.kernel.batches import in_batches
from quartet.kernel.errors import Problem
from quartet.kernel.files import safe_name


class TorrentDownload(NamedTuple):
    """A file of a torrent; without `torrent_file` it stands for the torrent itself."""

    id: int
    status: str
    name: str
    size: int | None
    bytes_done: int
    priority: int
    attempts: int
    torrent_file: int | None
    torrent_path: str | None
    started_now: bool

    @property
    def is_active(self) -> bool:
        return self.status in ACTIVE


class TorrentJob(NamedTuple):
    """A torrent with its downloads."""

    torrent: StoredTorrent
    downloads: list[TorrentDownload]
    target_dir: str
    # KiB/s, 0 means unlimited.
    limit: int

    @property
    def active(self) -> list[TorrentDownload]:
        return [each for each in self.downloads if each.is_active]


def claim(conn: Connection, package_id: int) -> TorrentJob | None:
    """Start the queued files of a torrent; return None if the torrent was deleted."""
    torrent = torrents_store.torrent(conn, package_id)
    row = conn.execute(select(packages).where(packages.c.id == package_id)).first()
    if torrent is None or row is None:
        return None
    of_package = downloads.c.package_id == package_id
    apply_transition(conn, "claim_plain", of_package, retry_at=None, error=None)
    columns = [downloads.c[field] for field in TorrentDownload._fields]
    query = select(*columns).where(of_package)
    found = [TorrentDownload(*each) for each in conn.execute(query.order_by(downloads.c.position))]
    return TorrentJob(torrent, found, row.target_dir, row.speed_limit_kib)


def set_metainfo(conn: Connection, package_id: int, content: bytes, found: Metainfo) -> None:
    """Replace the download that stood for a magnet link with the files of the torrent."""
    torrents_store.change(conn, package_id, metainfo=content, private=found.private)
    of_package = downloads.c.package_id == package_id
    row = conn.execute(select(downloads).where(of_package).limit(1)).first()
    if row is None:
        return
    values = {
        "package_id": package_id,
        "status": row.status,
        "check_wanted": False,
        "bytes_done": 0,
        "attempts": 0,
        "priority": row.priority,
        "started_now": row.started_now,
        "before_stop": row.before_stop,
        "speed_limit_kib": 0,
        "created_at": row.created_at,
    }
    rows = file_rows(found, row.url, values)
    for place, each in enumerate(rows, start=1):
        each["position"] = place
    # The first file keeps the id, which clients of aria2 know.
    first, *rest = rows
    conn.execute(update(downloads).where(downloads.c.id == row.id).values(**first))
    for some in in_batches(rest):
        conn.execute(insert(downloads), some)
    _name_package(conn, package_id, found.name)


def _name_package(conn: Connection, package_id: int, name: str) -> None:
    """Name a package that the user did not name after its torrent."""
    this = packages.c.id == package_id
    row = conn.execute(select(packages).where(this)).one()
    if not row.auto_named:
        return
    values: dict[str, Any] = {"name": name}
    above, slash, last = row.target_dir.rpartition("/")
    if last == safe_name(row.name):
        values["target_dir"] = f"{above}{slash}{safe_name(name)}"
    conn.execute(update(packages).where(this).values(**values))


def without_metadata(conn: Connection) -> dict[int, str]:
    """Return the magnet links in the link grabber whose files should be shown, by package."""
    query = (
        select(torrents_table.c.package_id, torrents_table.c.magnet)
        .join(downloads, downloads.c.package_id == torrents_table.c.package_id)
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(
            downloads.c.check_wanted == true(),
            packages.c.collector == true(),
            torrents_table.c.metainfo.is_(None),
        )
        .order_by(downloads.c.id)
    )
    return {package_id: magnet for package_id, magnet in conn.execute(query)}


def checked(conn: Connection, package_id: int, online: Online, problem: Problem | None) -> None:
    """Store the result of searching for the metadata of a magnet link."""
    query = update(downloads).where(downloads.c.package_id == package_id)
    conn.execute(query.values(check_wanted=False, online=online, error=problem))


def start_seeding(conn: Connection, package_id: int, settings: Options) -> None:
    """Seed a complete torrent, if the settings or its own limits say so."""
    torrent = torrents_store.torrent(conn, package_id)
    by_settings = settings.seed_ratio_percent or settings.seed_minutes
    if by_settings or (torrent and torrent.has_own_limits):
        torrents_store.change(conn, package_id, seeding=True, seeded_seconds=0)


def stop_seeding(conn: Connection, package_id: int) -> None:
    torrents_store.change(conn, package_id, seeding=False)


def stop_all_seeding(conn: Connection) -> None:
    conn.execute(update(torrents_table).values(seeding=False))


def resume_seeding(conn: Connection, package_id: int) -> None:
    """Seed a complete torrent again; limits that are already reached end it at once."""
    _resume_seeding(conn, torrents_table.c.package_id == package_id)


def resume_all_seeding(conn: Connection) -> None:
    """Seed all complete torrents whose limits are not reached, like clients of BitTorrent."""
    _resume_seeding(conn)


def _resume_seeding(conn: Connection, *where: ColumnElement[bool]) -> None:
    of_torrent = downloads.c.package_id == torrents_table.c.package_id
    unfinished = exists().where(of_torrent, downloads.c.status.not_in(("finished", "skipped")))
    conn.execute(update(torrents_table).where(~unfinished, *where).values(seeding=True))


def save_progress(conn: Connection, package_id: int, done: Mapping[int, int], up: int) -> None:
    """Store the bytes of unfinished downloads and the uploaded bytes of the torrent."""
    store.set_bytes_done(conn, done)
    if up:
        torrents_store.change(conn, package_id, uploaded=up)


def end(conn: Connection, ids: Collection[int], problem: Problem, act: str, **values: Any) -> None:
    """End the active downloads of a torrent with an error."""
    actions = {"wait": store.wait, "stop": store.stop, "fail": store.fail}
    for id in ids:
        actions[act](conn, id, problem=problem, **values)


def requeue(conn: Connection, package_id: int) -> None:
    """Return the active files of a torrent to the queue."""
    apply_transition(conn, "wait", downloads.c.package_id == package_id)


class ContentFile(NamedTuple):
    """A finished file of a torrent, relative to the done folder."""

    id: int
    file: str
    size: int


class TorrentContent(NamedTuple):
    """A torrent whose files are known, with the finished ones by index."""

    torrent: StoredTorrent
    files: dict[int, ContentFile]


def content(conn: Connection, package_id: int) -> TorrentContent | None:
    torrent = torrents_store.torrent(conn, package_id)
    if torrent is None or torrent.metainfo is None:
        return None
    query = select(downloads).where(
        downloads.c.package_id == package_id,
        downloads.c.status == "finished",
        downloads.c.file.is_not(None),
        downloads.c.torrent_file.is_not(None),
    )
    files = {
        row.torrent_file: ContentFile(row.id, row.file, row.size or 0)
        for row in conn.execute(query)
    }
    return TorrentContent(torrent, files)


class SeededTorrent(NamedTuple):
    torrent: StoredTorrent
    # The finished files with their sizes by index, relative to the done folder.
    files: dict[int, tuple[str, int]]


def seeded(conn: Connection) -> list[SeededTorrent]:
    """Return the torrents that are seeded and not being downloaded."""
    found = []
    for package_id in torrents_store.seeding(conn):
        rows = conn.execute(select(downloads).where(downloads.c.package_id == package_id)).all()
        torrent = torrents_store.torrent(conn, package_id)
        if torrent and not any(row.status in ("queued", *ACTIVE) for row in rows):
            files = {
                row.torrent_file: (row.file, row.size or 0)
                for row in rows
                if row.status == "finished" and row.file and row.torrent_file is not None
            }
            found.append(SeededTorrent(torrent, files))
    return found


def delete_ended(conn: Connection, statuses: Collection[Status]) -> list[int]:
    """Delete torrents that are in these states as a whole; return the ids of their downloads.

    A torrent that is seeded or extracted stays.
    """
    ended = downloads.c.status.in_(statuses)
    others = downloads.c.status.not_in((*statuses, "skipped"))
    query = (
        select(downloads.c.package_id)
        .join(torrents_table, torrents_table.c.package_id == downloads.c.package_id)
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(torrents_table.c.seeding == false())
        .where(func.coalesce(packages.c.extract, "").not_in(store.UNPACKING))
        .group_by(downloads.c.package_id)
        .having(func.sum(case((others, 1), else_=0)) == 0, func.sum(case((ended, 1), else_=0)) > 0)
    )
    gone: list[int] = []
    for package_id in list(conn.execute(query).scalars()):
        gone += store.package_ids(conn, package_id)
        store.delete_package(conn, package_id)
    return gone


def select_files(conn: Connection, package_id: int, wanted: Collection[int]) -> None:
    """Skip all files of a torrent but these."""
    of_package = downloads.c.package_id == package_id
    ids = set(conn.execute(select(downloads.c.id).where(of_package)).scalars())
    again: TransitionName = "select_later" if store.is_collector(conn, package_id) else "select"
    for some in in_batches(list(ids - set(wanted))):
        apply_transition(conn, "skip", downloads.c.id.in_(some), error=None, retry_at=None)
    for some in in_batches(list(wanted)):
        apply_transition(conn, again, downloads.c.id.in_(some))


def wanted_size(conn: Connection, package_id: int) -> int:
    """Return the size of the files that are not skipped."""
    wanted = downloads.c.package_id == package_id, downloads.c.status != "skipped"
    # PostgreSQL returns sums of big integers as decimals.
    return int(conn.execute(select(func.sum(downloads.c.size)).where(*wanted)).scalar() or 0)


def existing_packages(conn: Connection, ids: Sequence[int]) -> set[int]:
    found: set[int] = set()
    for some in in_batches(ids):
        found |= set(conn.execute(select(packages.c.id).where(packages.c.id.in_(some))).scalars())
    return found


def unfinished_packages(conn: Connection, ids: Sequence[int]) -> set[int]:
    """Return those of the packages that still have a download to finish."""
    unfinished = downloads.c.status.not_in(["finished", "skipped"])
    found: set[int] = set()
    for some in in_batches(ids):
        rows = select(downloads.c.package_id).where(downloads.c.package_id.in_(some), unfinished)
        found |= set(conn.execute(rows).scalars())
    return found
