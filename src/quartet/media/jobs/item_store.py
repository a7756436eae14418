"""The items of jobs: every SQL statement about them."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    true,
    update,
)

from quartet.kernel.batches import in_batches
from quartet.media.jobs.rows import ItemRow, JobRow, decoded, encoded, listed
from quartet.media.jobs.tables import items, jobs
from quartet.media.jobs.types import BUSY, ItemState, JobItem
from quartet.media.moves.tables import operations
from quartet.media.roots.texts import path_text

_OF_JOB = ("job_kind", "job_created_at", "watch_folder_id")
_EVERYTHING: dict[str, Any] = {
    column.name: bindparam(f"new_{column.name}") for column in items.c if column.name != "id"
}
_UPDATE = update(items).where(items.c.id == bindparam("row_id")).values(_EVERYTHING)


def add(conn: Connection, rows: Sequence[ItemRow]) -> None:
    if rows:
        conn.execute(insert(items), [_stored(row) for row in rows])


def save(conn: Connection, rows: Sequence[ItemRow]) -> None:
    if rows:
        conn.execute(
            _UPDATE,
            [
                {"row_id": row.id} | {f"new_{name}": value for name, value in _stored(row).items()}
                for row in rows
            ],
        )


def clear(conn: Connection, job_id: int) -> None:
    """Before a scan; what was done stays."""
    conn.execute(delete(items).where(items.c.job_id == job_id, items.c.state != "done"))


def sources(conn: Connection, job_id: int) -> set[str]:
    return set(conn.execute(select(items.c.source).where(items.c.job_id == job_id)).scalars())


def held(conn: Connection, job: JobRow) -> set[str]:
    """What an earlier job of the same call of a download client sees to already."""
    if job.asked is None:
        return set()
    others = (
        jobs.c.id < job.id,
        jobs.c.asked == job.asked,
        jobs.c.paths == encoded({"paths": job.paths})["paths"],
        jobs.c.status.in_((*BUSY, "ready")),
        items.c.state.in_(("parsed", "matched", "needs_review", "ready")),
    )
    query = select(items.c.source).join(jobs, jobs.c.id == items.c.job_id).where(*others)
    return set(conn.execute(query).scalars())


def chunk(conn: Connection, job_id: int, after: int, limit: int) -> list[ItemRow]:
    return _found(conn, [items.c.job_id == job_id, items.c.id > after], limit)


def page(
    conn: Connection,
    job_id: int,
    states: Sequence[ItemState],
    text: str,
    after: int | None,
    limit: int,
) -> list[JobItem]:
    where: list[ColumnElement[bool]] = [items.c.job_id == job_id, items.c.id > (after or 0)]
    if states:
        where.append(items.c.state.in_(states))
    if text:
        where.append(or_(*(_contains(column, text) for column in (items.c.source, items.c.target))))
    query = select(items).where(*where).order_by(items.c.id).limit(limit)
    return [listed(dict(row)) for row in conn.execute(query).mappings()]


def chosen(conn: Connection, job_id: int) -> list[ItemRow]:
    return _found(conn, _is_chosen(job_id))


def chosen_count(conn: Connection, job_id: int) -> int:
    return conn.execute(select(func.count()).where(*_is_chosen(job_id))).scalar_one()


def by_ids(conn: Connection, ids: Sequence[int]) -> list[ItemRow]:
    return [row for some in in_batches(ids) for row in _found(conn, [items.c.id.in_(some)])]


def twins(conn: Connection, job_id: int, keys: Iterable[str]) -> list[ItemRow]:
    """Items that share a target, and so may stand in each other's way."""
    return [
        row
        for some in in_batches(list(keys))
        for row in _found(conn, [items.c.job_id == job_id, items.c.target_key.in_(some)])
    ]


def shared_keys(conn: Connection, job_id: int) -> list[str]:
    query = (
        select(items.c.target_key)
        .where(items.c.job_id == job_id, items.c.target_key.is_not(None))
        .group_by(items.c.target_key)
        .having(func.count() > 1)
    )
    return list(conn.execute(query).scalars())


def choose(conn: Connection, job_id: int, ids: Sequence[int] | None) -> int:
    """Marks what shall be done next, as far as it is ready; gives how many those are."""
    ready = (items.c.job_id == job_id, items.c.state == "ready")
    if ids is None:
        return conn.execute(update(items).where(*ready).values(chosen=True)).rowcount
    return sum(
        conn.execute(update(items).where(*ready, items.c.id.in_(some)).values(chosen=True)).rowcount
        for some in in_batches(ids)
    )


def unchoose(conn: Connection, job_id: int) -> None:
    mine = items.c.job_id == job_id
    conn.execute(update(items).where(mine, items.c.chosen.is_(true())).values(chosen=False))


def count(conn: Connection, job_id: int, states: Sequence[ItemState]) -> int:
    query = select(func.count()).where(items.c.job_id == job_id, items.c.state.in_(states))
    return conn.execute(query).scalar_one()


def ids_in(conn: Connection, job_id: int, state: ItemState) -> list[int]:
    query = select(items.c.id).where(items.c.job_id == job_id, items.c.state == state)
    return list(conn.execute(query.order_by(items.c.id)).scalars())


def mark(conn: Connection, ids: Sequence[int], state: ItemState) -> None:
    for some in in_batches(ids):
        conn.execute(update(items).where(items.c.id.in_(some)).values(state=state, chosen=False))


def known(conn: Connection, sources: Sequence[str]) -> set[tuple[str, int, int]]:
    """Which of these files, as they are now, some job has had already."""
    columns = items.c.source, items.c.size, items.c.mtime_ns
    return {
        (source, size, mtime_ns)
        for some in in_batches(sources)
        for source, size, mtime_ns in conn.execute(select(*columns).where(items.c.source.in_(some)))
    }


def unfinished_operations(conn: Connection, item_ids: Sequence[int]) -> set[int]:
    """Items of which something still lies where we put it."""
    return {
        id
        for some in in_batches(item_ids)
        for id in conn.execute(
            select(operations.c.item_id).where(
                operations.c.item_id.in_(some), operations.c.state == "done"
            )
        ).scalars()
    }


def undone_unheard(conn: Connection) -> list[int]:
    """Items called done of which something was undone."""
    query = (
        select(items.c.id)
        .join(operations, operations.c.item_id == items.c.id)
        .where(operations.c.state == "undone", items.c.state == "done")
    )
    return list(conn.execute(query.distinct().order_by(items.c.id)).scalars())


def waiting(conn: Connection, before: int | None, limit: int) -> list[tuple[ItemRow, Row[Any]]]:
    """Items of automatic jobs that wait for a person, newest first."""
    kind, made = jobs.c.kind.label("job_kind"), jobs.c.created_at.label("job_created_at")
    about = kind, made, jobs.c.watch_folder_id
    where = [*_waits(), *([items.c.id < before] if before else [])]
    query = select(items, *about).join(jobs, jobs.c.id == items.c.job_id).where(*where)
    found = conn.execute(query.order_by(items.c.id.desc()).limit(limit))
    return [(_item(row), row) for row in found]


def waiting_count(conn: Connection) -> int:
    query = select(func.count()).select_from(items).join(jobs, jobs.c.id == items.c.job_id)
    return conn.execute(query.where(*_waits())).scalar_one()


def waiting_ids(
    conn: Connection, ids: Sequence[int] | None, min_confidence: float | None
) -> list[int]:
    query = select(items.c.id).join(jobs, jobs.c.id == items.c.job_id).where(*_waits())
    if min_confidence is not None:
        query = query.where(items.c.confidence >= min_confidence)
    found = conn.execute(query.order_by(items.c.id)).scalars()
    wanted = None if ids is None else set(ids)
    return [id for id in found if wanted is None or id in wanted]


def _is_chosen(job_id: int) -> list[ColumnElement[bool]]:
    return [items.c.job_id == job_id, items.c.chosen.is_(true()), items.c.state == "ready"]


def _waits() -> list[ColumnElement[bool]]:
    return [items.c.state == "needs_review", jobs.c.kind != "manual"]


def _contains(column: ColumnElement[Any], text: str) -> ColumnElement[bool]:
    return func.lower(column).contains(path_text(text).lower(), autoescape=True)


def _found(
    conn: Connection, where: Sequence[ColumnElement[bool]], limit: int | None = None
) -> list[ItemRow]:
    query = select(items).where(*where).order_by(items.c.id).limit(limit)
    return [_item(row) for row in conn.execute(query)]


def _item(row: Row[Any]) -> ItemRow:
    values = dict(row._mapping)
    for name in _OF_JOB:
        values.pop(name, None)
    return ItemRow(**decoded(values))


def _stored(row: ItemRow) -> dict[str, Any]:
    values = encoded(msgspec.structs.asdict(row))
    del values["id"]
    return values
