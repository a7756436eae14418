from collections.abc import Collection, Mapping
from typing import Any

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    case,
    delete,
    exists,
    func,
    insert,
    select,
    true,
    update,
)

from quartet.downloads.events import Changed
from quartet.downloads.packages.states import Status, TransitionName
from quartet.downloads.packages.store import apply_transition
from quartet.downloads.packages.store_pages import DOWNLOAD_COLUMNS, download_of
from quartet.downloads.packages.tables import downloads, packages
from quartet.downloads.packages.types import CONTAINER, Download
from quartet.downloads.queue.tables import attempts
from quartet.downloads.queue.types import SPACE_ERRORS, Attempt, StoppedDownload
from quartet.kernel.batches import in_batches
from quartet.kernel.clock import now_ms
from quartet.kernel.db import Tx
from quartet.kernel.errors import Problem

# A download whose file is about to be moved can no longer be paused.
_NOT_MOVING = downloads.c.file.is_(None)
# Greater than any timestamp.
_NOT_YET = 2**62
# Packages in these states still need the files of their downloads.
UNPACKING = ("pending", "running")


def existing(conn: Connection, ids: Collection[int]) -> set[int]:
    found: set[int] = set()
    for some in in_batches(list(ids)):
        found |= set(conn.execute(select(downloads.c.id).where(downloads.c.id.in_(some))).scalars())
    return found


def package_ids(conn: Connection, package_id: int) -> set[int]:
    query = select(downloads.c.id).where(downloads.c.package_id == package_id)
    return set(conn.execute(query).scalars())


def is_collector(conn: Connection, package_id: int) -> bool | None:
    query = select(packages.c.collector).where(packages.c.id == package_id)
    return conn.execute(query).scalar_one_or_none()


def start_package(conn: Connection, package_id: int) -> None:
    conn.execute(update(packages).where(packages.c.id == package_id).values(collector=False))
    apply_transition(
        conn,
        "start",
        downloads.c.package_id == package_id,
        downloads.c.online != "offline",
        check_wanted=False,
        # The reason why the check failed says nothing about the download.
        error=None,
    )


def startable(conn: Connection, package_id: int) -> set[int]:
    """Return the collected downloads of a package that are not offline."""
    query = select(downloads.c.id).where(
        downloads.c.package_id == package_id,
        downloads.c.status == "collected",
        downloads.c.online != "offline",
    )
    return set(conn.execute(query).scalars())


def split(conn: Connection, package_id: int, ids: Collection[int]) -> int:
    """Create a copy of the package in the queue and move these downloads to it."""
    copied = [column for column in packages.c if column.name not in ("id", "position", "collector")]
    last = select(func.max(packages.c.position) + 1).scalar_subquery()
    row = select(*copied, last.label("position")).where(packages.c.id == package_id)
    values = conn.execute(row).mappings().one()
    query = packages.insert().values(**values, collector=False).returning(packages.c.id)
    new: int = conn.execute(query).scalar_one()
    for some in in_batches(list(ids)):
        conn.execute(update(downloads).where(downloads.c.id.in_(some)).values(package_id=new))
    return new


def pause(conn: Connection, *where: ColumnElement[bool]) -> Collection[int]:
    return apply_transition(conn, "pause", _NOT_MOVING, *where, retry_at=None)


def pause_package(conn: Connection, package_id: int) -> Collection[int]:
    return pause(conn, downloads.c.package_id == package_id)


def pause_download(conn: Connection, id: int) -> Collection[int]:
    return pause(conn, downloads.c.id == id)


RESET: dict[str, Any] = {"attempts": 0, "retry_at": None, "error": None}


def resume_package(conn: Connection, package_id: int) -> Collection[int]:
    return apply_transition(conn, "resume", downloads.c.package_id == package_id, **RESET)


def resume_download(conn: Connection, id: int) -> Collection[int]:
    return apply_transition(conn, "resume", downloads.c.id == id, **RESET)


def resume_all(conn: Connection) -> Collection[int]:
    return apply_transition(conn, "resume_all", **RESET)


def stopped_for_space(conn: Connection) -> list[StoppedDownload]:
    """Return the downloads that were paused for lack of disk space, in queue order."""
    query = (
        select(downloads.c.id, downloads.c.size, downloads.c.error)
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(downloads.c.status == "paused", downloads.c.error.is_not(None))
        .order_by(downloads.c.priority.desc(), packages.c.position, downloads.c.position)
    )
    return [
        StoppedDownload(row.id, row.size, _needed(row.error.get("inputs", {})))
        for row in conn.execute(query)
        if row.error.get("code") in SPACE_ERRORS
    ]


def _needed(inputs: Mapping[str, Any]) -> int:
    """Return the space that an error about a full disk asks for."""
    return int(inputs.get("needed", 0)) + int(inputs.get("reserve", 0))


def resume_stopped(tx: Tx, id: int) -> None:
    if resume_download(tx.conn, id):
        tx.emit(Changed("downloads", downloads=[id]))


def rename(conn: Connection, id: int, name: str) -> bool:
    """Choose the name of a download; return False if its file is at its place or on the way."""
    query = update(downloads).where(
        downloads.c.id == id, downloads.c.status != "finished", downloads.c.file.is_(None)
    )
    return conn.execute(query.values(name=name, name_fixed=True)).rowcount > 0


def change_download(conn: Connection, id: int, values: Mapping[str, Any]) -> None:
    if values:
        conn.execute(update(downloads).where(downloads.c.id == id).values(**values))


def files_of_package(conn: Connection, package_id: int) -> list[str]:
    return _files(conn, downloads.c.package_id == package_id)


def files_of_download(conn: Connection, id: int) -> list[str]:
    return _files(conn, downloads.c.id == id)


def _files(conn: Connection, which: ColumnElement[bool]) -> list[str]:
    """Return the finished files of these downloads, relative to the done folder.

    A path whose file was moved away may have been reused by a later download; skip those.
    """
    paths = select(downloads.c.file).where(which, downloads.c.status == "finished")
    finished = func.coalesce(downloads.c.finished_at, _NOT_YET)
    query = (
        select(downloads.c.file)
        .where(downloads.c.file.in_(paths))
        .group_by(downloads.c.file)
        .having(func.max(case((which, finished))) == func.max(finished))
    )
    return list(conn.execute(query).scalars())


def delete_package(conn: Connection, package_id: int) -> None:
    conn.execute(delete(packages).where(packages.c.id == package_id))


def delete_download(conn: Connection, id: int) -> None:
    query = delete(downloads).where(downloads.c.id == id).returning(downloads.c.package_id)
    _drop_empty(conn, set(conn.execute(query).scalars()))


def delete_ended(conn: Connection, statuses: Collection[Status]) -> list[int]:
    """Delete downloads in these states, and return their ids.

    Those of packages that wait for extraction or are being extracted stay. Those of torrents stay
    too, because a torrent ends as a whole.
    """
    unpacking = select(packages.c.id).where(packages.c.extract.in_(UNPACKING))
    query = delete(downloads).where(
        downloads.c.status.in_(statuses),
        downloads.c.package_id.not_in(unpacking),
        downloads.c.torrent_file.is_(None),
    )
    gone = conn.execute(query.returning(downloads.c.id, downloads.c.package_id)).all()
    _drop_empty(conn, {row.package_id for row in gone})
    return [row.id for row in gone]


def _drop_empty(conn: Connection, package_ids: Collection[int]) -> None:
    filled = exists().where(downloads.c.package_id == packages.c.id)
    for some in in_batches(list(package_ids)):
        conn.execute(delete(packages).where(packages.c.id.in_(some), ~filled))


def transfer(conn: Connection, id: int) -> bool:
    return bool(apply_transition(conn, "transfer", downloads.c.id == id))


def wait(conn: Connection, id: int, problem: Problem | None, **values: Any) -> bool:
    return _end_task(conn, "wait", id, problem, values)


def open_container(conn: Connection, id: int) -> bool:
    """Return a link to the queue from which the crawler takes what is in its file."""
    return _end_task(conn, "wait", id, None, {"crawl_depth": CONTAINER, "retry_at": None})


def stop(conn: Connection, id: int, problem: Problem, **values: Any) -> bool:
    return _end_task(conn, "stop", id, problem, values)


def fail(conn: Connection, id: int, problem: Problem, **values: Any) -> bool:
    return _end_task(conn, "fail", id, problem, values)


def _end_task(
    conn: Connection,
    act: TransitionName,
    id: int,
    problem: Problem | None,
    values: Mapping[str, Any],
) -> bool:
    """Return False if the download was paused or deleted in the meantime."""
    reset = {"file": None, "unsynced": None}
    changed = apply_transition(conn, act, downloads.c.id == id, error=problem, **reset, **values)
    if changed and problem:
        add_attempt(conn, id, problem)
    return bool(changed)


def update_unfinished(conn: Connection, id: int, **values: Any) -> None:
    """Update an unfinished download without changing its state."""
    if "name" in values:
        # The user may have chosen a name since the download was started.
        chosen = downloads.c.name_fixed == true()
        values["name"] = case((chosen, downloads.c.name), else_=values["name"])
    query = update(downloads).where(downloads.c.id == id, downloads.c.status != "finished")
    conn.execute(query.values(**values))


def set_bytes_done(conn: Connection, done: Mapping[int, int]) -> None:
    """Store the progress of unfinished downloads, which is written only when they change state."""
    for id, bytes_done in done.items():
        update_unfinished(conn, id, bytes_done=bytes_done)


# Older attempts add no information.
MAX_ATTEMPTS = 20


def add_attempt(conn: Connection, download_id: int, problem: Problem) -> None:
    done = select(downloads.c.bytes_done).where(downloads.c.id == download_id).scalar_subquery()
    row = {"ended_at": now_ms(), "error": problem}
    conn.execute(insert(attempts).values(download_id=download_id, bytes_done=done, **row))
    of_download = attempts.c.download_id == download_id
    newest = (
        select(attempts.c.id).where(of_download).order_by(attempts.c.id.desc()).limit(MAX_ATTEMPTS)
    )
    conn.execute(delete(attempts).where(of_download, attempts.c.id.not_in(newest)))


def attempts_of(conn: Connection, download_id: int) -> list[Attempt]:
    """Return the failed attempts, newest first."""
    query = (
        select(attempts.c.ended_at, attempts.c.bytes_done, attempts.c.error)
        .where(attempts.c.download_id == download_id)
        .order_by(attempts.c.id.desc())
    )
    return [
        Attempt(row.ended_at, row.bytes_done, msgspec.convert(row.error, Problem))
        for row in conn.execute(query)
    ]


def download(conn: Connection, download_id: int) -> tuple[Download, str | None] | None:
    """Return the download and the checksum its hoster gave."""
    this = downloads.c.id == download_id
    row = conn.execute(select(*DOWNLOAD_COLUMNS).where(this)).first()
    promised = conn.execute(select(downloads.c.hash_value).where(this)).scalar_one_or_none()
    return None if row is None else (download_of(row), promised)
