from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Table, case, delete, func, or_, select, update

from quartet.kernel.db import History
from quartet.kernel.db.upsert import insert_into
from quartet.kernel.push.tables import NAME
from quartet.kernel.push.types import BrowserSubscription, Counts


class PushTables(NamedTuple):
    subscriptions: Table
    sessions: Table


def tables_of(history: History) -> PushTables:
    tables = history.metadata.tables
    return PushTables(tables[NAME], tables["sessions"])


def of_user(conn: Connection, tables: PushTables, user: int) -> list[BrowserSubscription]:
    """Return the subscriptions whose session has not ended."""
    subscriptions = tables.subscriptions
    mine = select(subscriptions).where(subscriptions.c.user_id == user, _alive(tables))
    return [
        BrowserSubscription(
            row.id, row.endpoint, row.p256dh, row.auth, row.created_at, row.failed_at
        )
        for row in conn.execute(mine.order_by(subscriptions.c.id))
    ]


def remove_ended(conn: Connection, tables: PushTables, user: int) -> None:
    """Delete the subscriptions of a user whose session has ended."""
    table = tables.subscriptions
    conn.execute(delete(table).where(table.c.user_id == user, ~_alive(tables)))


def count_others(conn: Connection, table: Table, user: int, endpoint: str) -> int:
    others = (table.c.user_id == user) & (table.c.endpoint != endpoint)
    return conn.execute(select(func.count()).select_from(table).where(others)).scalar_one()


def put(conn: Connection, table: Table, values: dict[str, Any]) -> None:
    """Store a subscription; each browser has one, which belongs to the last user."""
    statement = insert_into(conn, table).values(failed_at=None, **values)
    new = {name: statement.excluded[name] for name in (*values, "failed_at") if name != "endpoint"}
    conn.execute(statement.on_conflict_do_update(index_elements=["endpoint"], set_=new))


def remove(conn: Connection, table: Table, user: int, endpoint: str | None) -> None:
    mine = delete(table).where(table.c.user_id == user)
    conn.execute(mine if endpoint is None else mine.where(table.c.endpoint == endpoint))


def remove_all(conn: Connection, table: Table) -> int:
    return conn.execute(delete(table)).rowcount


def remove_ids(conn: Connection, table: Table, ids: Sequence[int]) -> None:
    if ids:
        conn.execute(delete(table).where(table.c.id.in_(ids)))


def mark_delivered(conn: Connection, table: Table, ids: Sequence[int]) -> None:
    if ids:
        conn.execute(update(table).where(table.c.id.in_(ids)).values(failed_at=None))


def mark_failed(conn: Connection, table: Table, ids: Sequence[int], now: int) -> None:
    """Record since when deliveries have failed."""
    if ids:
        since = case((table.c.failed_at.is_(None), now), else_=table.c.failed_at)
        conn.execute(update(table).where(table.c.id.in_(ids)).values(failed_at=since))


def counts(conn: Connection, table: Table) -> Counts:
    row = conn.execute(
        select(
            func.count(),
            func.count(table.c.user_id.distinct()),
            func.count(table.c.failed_at),
        ).select_from(table)
    ).one()
    return Counts(*row)


def _alive(tables: PushTables) -> ColumnElement[bool]:
    session = tables.subscriptions.c.session
    return or_(session.is_(None), session.in_(select(tables.sessions.c.token_hash)))
