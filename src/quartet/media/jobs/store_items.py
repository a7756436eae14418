"""SQL statements for the items of jobs."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Update,
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
from quartet.media.history.types import HistoryTitle
from quartet.media.jobs import store_item_counts
from quartet.media.jobs.records import (
    ItemRecord,
    JobRecord,
    decode_columns,
    encode_columns,
    item_from_columns,
)
from quartet.media.jobs.store_item_counts import CountKey
from quartet.media.jobs.tables import items, jobs
from quartet.media.jobs.types import BUSY, ItemState, JobItem
from quartet.media.moves.tables import operations
from quartet.media.roots.path_encoding import encode_path

_OF_JOB = ("job_kind", "job_created_at", "watch_folder_id")
_EVERYTHING: dict[str, Any] = {
    column.name: bindparam(f"new_{column.name}") for column in items.c if column.name != "id"
}
_UPDATE = update(items).where(items.c.id == bindparam("row_id")).values(_EVERYTHING)
# What executing an item changes. Writing only this takes less time.
_RESULTS = ("target", "state", "chosen", "error", "size", "mtime_ns", "approved", "reasons")
_RESULT = (
    update(items)
    .where(items.c.id == bindparam("row_id"))
    .values({name: bindparam(f"new_{name}") for name in _RESULTS})
)


class _StoredMatch(msgspec.Struct):
    """The part of a stored match that the history shows."""

    best: HistoryTitle | None = None


_MATCH = msgspec.json.Decoder(_StoredMatch)


def add(conn: Connection, rows: Sequence[ItemRecord]) -> None:
    if rows:
        conn.execute(insert(items), [_stored(row) for row in rows])
        store_item_counts.change(conn, added=[CountKey(row.job_id, row.state) for row in rows])


def save(conn: Connection, rows: Sequence[ItemRecord]) -> None:
    values = (_stored(row) for row in rows)
    _update(conn, _UPDATE, rows, values)


def save_results(conn: Connection, rows: Sequence[ItemRecord]) -> None:
    """Save what executing the items changed."""
    values = ({name: getattr(row, name) for name in _RESULTS} for row in rows)
    _update(conn, _RESULT, rows, values)


def _update(
    conn: Connection, query: Update, rows: Sequence[ItemRecord], values: Iterable[dict[str, Any]]
) -> None:
    if not rows:
        return
    counted = store_item_counts.of_items(conn, [row.id for row in rows])
    parameters = [
        {"row_id": row.id} | {f"new_{name}": value for name, value in columns.items()}
        for row, columns in zip(rows, values, strict=True)
    ]
    conn.execute(query, parameters)
    now = [CountKey(row.job_id, row.state) for row in rows if row.id in counted]
    store_item_counts.change(conn, added=now, removed=[*counted.values()])


def clear(conn: Connection, job_id: int) -> None:
    """Delete items before a scan, except those already done."""
    conn.execute(delete(items).where(items.c.job_id == job_id, items.c.state != "done"))
    store_item_counts.keep_only(conn, job_id, "done")


def sources(conn: Connection, job_id: int) -> set[str]:
    return set(conn.execute(select(items.c.source).where(items.c.job_id == job_id)).scalars())


def claimed_sources(conn: Connection, job: JobRecord) -> set[str]:
    """Return the sources that an earlier job from the same download client call will handle."""
    if job.asked is None:
        return set()
    others = (
        jobs.c.id < job.id,
        jobs.c.asked == job.asked,
        jobs.c.paths == encode_columns({"paths": job.paths})["paths"],
        jobs.c.status.in_((*BUSY, "ready")),
        items.c.state.in_(("parsed", "matched", "needs_review", "ready")),
    )
    query = select(items.c.source).join(jobs, jobs.c.id == items.c.job_id).where(*others)
    return set(conn.execute(query).scalars())


def chunk(conn: Connection, job_id: int, after: int, limit: int) -> list[ItemRecord]:
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
    return [item_from_columns(dict(row)) for row in conn.execute(query).mappings()]


def chosen(conn: Connection, job_id: int) -> list[ItemRecord]:
    return _found(conn, _is_chosen(job_id))


def chosen_count(conn: Connection, job_id: int) -> int:
    return conn.execute(select(func.count()).where(*_is_chosen(job_id))).scalar_one()


def by_ids(conn: Connection, ids: Sequence[int]) -> list[ItemRecord]:
    return [row for some in in_batches(ids) for row in _found(conn, [items.c.id.in_(some)])]


def sharing_target(conn: Connection, job_id: int, keys: Iterable[str]) -> list[ItemRecord]:
    """Return items that share one of these targets."""
    return [
        row
        for some in in_batches(list(keys))
        for row in _found(conn, [items.c.job_id == job_id, items.c.target_key.in_(some)])
    ]


def duplicate_target_keys(conn: Connection, job_id: int) -> list[str]:
    query = (
        select(items.c.target_key)
        .where(items.c.job_id == job_id, items.c.target_key.is_not(None))
        .group_by(items.c.target_key)
        .having(func.count() > 1)
    )
    return list(conn.execute(query).scalars())


def mark_chosen(conn: Connection, job_id: int, ids: Sequence[int] | None) -> int:
    """Choose ready items for execution and return how many there are."""
    ready = (items.c.job_id == job_id, items.c.state == "ready")
    if ids is None:
        return conn.execute(update(items).where(*ready).values(chosen=True)).rowcount
    return sum(
        conn.execute(update(items).where(*ready, items.c.id.in_(some)).values(chosen=True)).rowcount
        for some in in_batches(ids)
    )


def clear_chosen(conn: Connection, job_id: int) -> None:
    mine = items.c.job_id == job_id
    conn.execute(update(items).where(mine, items.c.chosen.is_(true())).values(chosen=False))


def ids_in_state(conn: Connection, job_id: int, state: ItemState) -> list[int]:
    query = select(items.c.id).where(items.c.job_id == job_id, items.c.state == state)
    return list(conn.execute(query.order_by(items.c.id)).scalars())


def set_state(conn: Connection, ids: Sequence[int], state: ItemState) -> None:
    counted = store_item_counts.of_items(conn, ids)
    for some in in_batches(ids):
        conn.execute(update(items).where(items.c.id.in_(some)).values(state=state, chosen=False))
    now = [CountKey(before.job_id, state) for before in counted.values()]
    store_item_counts.change(conn, added=now, removed=[*counted.values()])


def known_files(conn: Connection, sources: Sequence[str]) -> set[tuple[str, int, int]]:
    """Return which of these files, in their current version, belong to a job."""
    columns = items.c.source, items.c.size, items.c.mtime_ns
    return {
        (source, size, mtime_ns)
        for some in in_batches(sources)
        for source, size, mtime_ns in conn.execute(select(*columns).where(items.c.source.in_(some)))
    }


def with_done_operations(conn: Connection, item_ids: Sequence[int]) -> set[int]:
    """Return items with at least one operation that is done and not undone."""
    return {
        id
        for some in in_batches(item_ids)
        for id in conn.execute(
            select(operations.c.item_id).where(
                operations.c.item_id.in_(some),
                operations.c.state == "done",
                operations.c.role != "artwork",
            )
        ).scalars()
    }


def done_with_undone_operations(conn: Connection) -> list[int]:
    """Return items in state "done" with an undone operation."""
    query = (
        select(items.c.id)
        .join(operations, operations.c.item_id == items.c.id)
        .where(operations.c.state == "undone", items.c.state == "done")
    )
    return list(conn.execute(query.distinct().order_by(items.c.id)).scalars())


def inbox_page(
    conn: Connection, before: int | None, limit: int
) -> list[tuple[ItemRecord, Row[Any]]]:
    """Return items of automatic jobs that need a person, newest first."""
    kind, made = jobs.c.kind.label("job_kind"), jobs.c.created_at.label("job_created_at")
    about = kind, made, jobs.c.watch_folder_id
    where = [*_in_inbox(), *([items.c.id < before] if before else [])]
    query = select(items, *about).join(jobs, jobs.c.id == items.c.job_id).where(*where)
    found = conn.execute(query.order_by(items.c.id.desc()).limit(limit))
    return [(_item(row), row) for row in found]


def inbox_ids(
    conn: Connection, ids: Sequence[int] | None, min_confidence: float | None
) -> list[int]:
    query = select(items.c.id).join(jobs, jobs.c.id == items.c.job_id).where(*_in_inbox())
    if min_confidence is not None:
        query = query.where(items.c.confidence >= min_confidence)
    found = conn.execute(query.order_by(items.c.id)).scalars()
    wanted = None if ids is None else set(ids)
    return [id for id in found if wanted is None or id in wanted]


def _is_chosen(job_id: int) -> list[ColumnElement[bool]]:
    return [items.c.job_id == job_id, items.c.chosen.is_(true()), items.c.state == "ready"]


def _in_inbox() -> list[ColumnElement[bool]]:
    return [items.c.state == "needs_review", jobs.c.kind != "manual"]


def _contains(column: ColumnElement[Any], text: str) -> ColumnElement[bool]:
    return func.lower(column).contains(encode_path(text).lower(), autoescape=True)


def _found(
    conn: Connection, where: Sequence[ColumnElement[bool]], limit: int | None = None
) -> list[ItemRecord]:
    query = select(items).where(*where).order_by(items.c.id).limit(limit)
    return [_item(row) for row in conn.execute(query)]


def _item(row: Row[Any]) -> ItemRecord:
    values = dict(row._mapping)
    for name in _OF_JOB:
        values.pop(name, None)
    return ItemRecord(**decode_columns(values))


def _stored(row: ItemRecord) -> dict[str, Any]:
    values = encode_columns(msgspec.structs.asdict(row))
    del values["id"]
    return values


def titles(conn: Connection, item_ids: Sequence[int]) -> dict[int, HistoryTitle]:
    """Return the catalog entry of each item that has one."""
    found: dict[int, HistoryTitle] = {}
    for some in in_batches(sorted(set(item_ids))):
        query = select(items.c.id, items.c.match).where(items.c.id.in_(some))
        for id, match in conn.execute(query.where(items.c.match.is_not(None))):
            best = _MATCH.decode(match).best
            if best is not None:
                found[id] = best
    return found
