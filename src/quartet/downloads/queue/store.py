from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    case,
    delete,
    exists,
    func,
    or_,
    select,
    update,
)

from quartet.downloads.options.store import options
from quartet.downloads.packages.states import ACTIVE, Act
from quartet.downloads.packages.store import take
from quartet.downloads.packages.tables import downloads, packages
from quartet.downloads.queue.store_attempts import add as add_attempt
from quartet.downloads.queue.types import Limits, Look, Lost, Sibling
from quartet.kernel.batches import in_batches
from quartet.kernel.errors import Problem

# Once a file is about to be moved, the download can no longer be paused: it is done in a moment.
_NOT_MOVING = downloads.c.file.is_(None)
# Later than any time.
_NOT_YET = 2**62


def any_due(conn: Connection, now: int) -> bool:
    due = or_(downloads.c.retry_at.is_(None), downloads.c.retry_at <= now)
    query = select(downloads.c.id).where(downloads.c.status == "queued", due).limit(1)
    return conn.execute(query).first() is not None


def next_retry(conn: Connection) -> int | None:
    """Only who is queued has such a time."""
    waiting = downloads.c.retry_at.is_not(None)
    query = select(downloads.c.retry_at).where(waiting).order_by(downloads.c.retry_at)
    return conn.execute(query.limit(1)).scalar_one_or_none()


def look(conn: Connection, ids: Collection[int], now: int) -> Look:
    """`ids` are the downloads that run here."""
    return Look(
        options=options(conn),
        running=running(conn),
        due=any_due(conn, now),
        retry_at=next_retry(conn),
        limits=limits(conn, ids) if ids else [],
    )


def running(conn: Connection) -> dict[int, Lost]:
    """What the list says is running."""
    columns = [downloads.c[field] for field in Lost._fields]
    query = select(*columns).where(downloads.c.status.in_(ACTIVE))
    return {row.id: Lost(*row) for row in conn.execute(query)}


def known(conn: Connection, ids: Collection[int]) -> set[int]:
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
    take(
        conn,
        "start",
        downloads.c.package_id == package_id,
        downloads.c.online != "offline",
        check_wanted=False,
    )


def startable(conn: Connection, package_id: int) -> set[int]:
    """Those of a package that can start."""
    query = select(downloads.c.id).where(
        downloads.c.package_id == package_id,
        downloads.c.status == "collected",
        downloads.c.online != "offline",
    )
    return set(conn.execute(query).scalars())


def split(conn: Connection, package_id: int, ids: Collection[int]) -> int:
    """A package like this one, in the queue, with these downloads."""
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
    return take(conn, "pause", _NOT_MOVING, *where, retry_at=None)


def pause_package(conn: Connection, package_id: int) -> Collection[int]:
    return pause(conn, downloads.c.package_id == package_id)


def pause_download(conn: Connection, id: int) -> Collection[int]:
    return pause(conn, downloads.c.id == id)


_AFRESH: dict[str, Any] = {"attempts": 0, "retry_at": None, "error": None}


def resume_package(conn: Connection, package_id: int) -> Collection[int]:
    return take(conn, "resume", downloads.c.package_id == package_id, **_AFRESH)


def resume_download(conn: Connection, id: int) -> Collection[int]:
    return take(conn, "resume", downloads.c.id == id, **_AFRESH)


def resume_all(conn: Connection) -> Collection[int]:
    return take(conn, "resume_all", **_AFRESH)


def change_download(conn: Connection, id: int, values: Mapping[str, Any]) -> None:
    if values:
        conn.execute(update(downloads).where(downloads.c.id == id).values(**values))


def files_of_package(conn: Connection, package_id: int) -> list[str]:
    return _files(conn, downloads.c.package_id == package_id)


def files_of_download(conn: Connection, id: int) -> list[str]:
    return _files(conn, downloads.c.id == id)


def _files(conn: Connection, which: ColumnElement[bool]) -> list[str]:
    """Finished files, below the done folder.

    Where somebody took a file away, another one may have come: then it is that download's.
    """
    here = select(downloads.c.file).where(which, downloads.c.status == "finished")
    came = func.coalesce(downloads.c.finished_at, _NOT_YET)
    query = (
        select(downloads.c.file)
        .where(downloads.c.file.in_(here))
        .group_by(downloads.c.file)
        .having(func.max(case((which, came))) == func.max(came))
    )
    return list(conn.execute(query).scalars())


def delete_package(conn: Connection, package_id: int) -> None:
    conn.execute(delete(packages).where(packages.c.id == package_id))


def delete_download(conn: Connection, id: int) -> None:
    query = delete(downloads).where(downloads.c.id == id).returning(downloads.c.package_id)
    _drop_empty(conn, set(conn.execute(query).scalars()))


def delete_finished(conn: Connection) -> None:
    """Without those of packages whose archives are to be unpacked: that would end with them."""
    unpacking = select(packages.c.id).where(packages.c.extract.in_(("pending", "running")))
    query = delete(downloads).where(
        downloads.c.status == "finished", downloads.c.package_id.not_in(unpacking)
    )
    _drop_empty(conn, set(conn.execute(query.returning(downloads.c.package_id)).scalars()))


def _drop_empty(conn: Connection, package_ids: Collection[int]) -> None:
    filled = exists().where(downloads.c.package_id == packages.c.id)
    for some in in_batches(list(package_ids)):
        conn.execute(delete(packages).where(packages.c.id.in_(some), ~filled))


def transfer(conn: Connection, id: int) -> bool:
    return bool(take(conn, "transfer", downloads.c.id == id))


def wait(conn: Connection, id: int, problem: Problem | None, **values: Any) -> None:
    _end(conn, "wait", id, problem, values)


def stop(conn: Connection, id: int, problem: Problem, **values: Any) -> None:
    _end(conn, "stop", id, problem, values)


def fail(conn: Connection, id: int, problem: Problem, **values: Any) -> None:
    _end(conn, "fail", id, problem, values)


def _end(
    conn: Connection, act: Act, id: int, problem: Problem | None, values: Mapping[str, Any]
) -> None:
    gone = {"file": None, "unsynced": None}
    taken = take(conn, act, downloads.c.id == id, error=problem, **gone, **values)
    if taken and problem:
        add_attempt(conn, id, problem)


def note(conn: Connection, id: int, **values: Any) -> None:
    """Figures of a download that is not finished, whatever its state."""
    query = update(downloads).where(downloads.c.id == id, downloads.c.status != "finished")
    conn.execute(query.values(**values))


def limits(conn: Connection, ids: Collection[int]) -> list[Limits]:
    query = (
        select(
            downloads.c.id,
            downloads.c.package_id,
            downloads.c.speed_limit_kib,
            packages.c.speed_limit_kib,
        )
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(downloads.c.id.in_(ids))
    )
    return [Limits(*row) for row in conn.execute(query)]


def siblings(conn: Connection, package_id: int) -> list[Sibling]:
    columns = [downloads.c[field] for field in Sibling._fields]
    query = select(*columns).where(
        downloads.c.package_id == package_id,
        downloads.c.status == "finished",
        downloads.c.file.is_not(None),
    )
    return [Sibling(*row) for row in conn.execute(query)]


def judged(conn: Connection, id: int, **values: Any) -> None:
    """What became known about a finished file."""
    query = update(downloads).where(downloads.c.id == id, downloads.c.status == "finished")
    conn.execute(query.values(**values))
