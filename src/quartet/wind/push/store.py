from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, case, delete, func, or_, select, update

from quartet.wind.accounts.tables import sessions
from quartet.wind.push.tables import subscriptions
from quartet.wind.push.types import Counts, Subscription
from quartet.wind.store_upsert import insert_into


def of_user(conn: Connection, user: int) -> list[Subscription]:
    """Return the subscriptions whose session has neither ended nor expired."""
    alive = select(sessions.c.token_hash).where(sessions.c.subject == str(user))
    mine = select(subscriptions).where(
        subscriptions.c.user_id == user,
        or_(subscriptions.c.session.is_(None), subscriptions.c.session.in_(alive)),
    )
    return [
        Subscription(row.id, row.endpoint, row.p256dh, row.auth, row.created_at, row.failed_at)
        for row in conn.execute(mine.order_by(subscriptions.c.id))
    ]


def count_others(conn: Connection, user: int, endpoint: str) -> int:
    others = (subscriptions.c.user_id == user) & (subscriptions.c.endpoint != endpoint)
    return conn.execute(select(func.count()).select_from(subscriptions).where(others)).scalar_one()


def put(conn: Connection, values: dict[str, Any]) -> None:
    """Store a subscription; each browser has one, which belongs to the last user."""
    statement = insert_into(conn, subscriptions).values(failed_at=None, **values)
    new = {name: statement.excluded[name] for name in (*values, "failed_at") if name != "endpoint"}
    conn.execute(statement.on_conflict_do_update(index_elements=["endpoint"], set_=new))


def remove(conn: Connection, user: int, endpoint: str | None) -> None:
    mine = delete(subscriptions).where(subscriptions.c.user_id == user)
    conn.execute(mine if endpoint is None else mine.where(subscriptions.c.endpoint == endpoint))


def remove_of_session(conn: Connection, session: str) -> None:
    conn.execute(delete(subscriptions).where(subscriptions.c.session == session))


def remove_of_others(conn: Connection, user: int, keep: str | None) -> None:
    """Delete the subscriptions of a user except those of one session."""
    others = or_(subscriptions.c.session.is_(None), subscriptions.c.session != (keep or ""))
    conn.execute(delete(subscriptions).where(subscriptions.c.user_id == user, others))


def move(conn: Connection, user: int, old: str, new: str) -> None:
    """Hand the subscription of a browser over to its next session."""
    mine = (subscriptions.c.user_id == user) & (subscriptions.c.session == old)
    conn.execute(update(subscriptions).where(mine).values(session=new))


def remove_all(conn: Connection) -> int:
    return conn.execute(delete(subscriptions)).rowcount


def remove_ids(conn: Connection, ids: Sequence[int]) -> None:
    if ids:
        conn.execute(delete(subscriptions).where(subscriptions.c.id.in_(ids)))


def mark_delivered(conn: Connection, ids: Sequence[int]) -> None:
    if ids:
        conn.execute(
            update(subscriptions).where(subscriptions.c.id.in_(ids)).values(failed_at=None)
        )


def mark_failed(conn: Connection, ids: Sequence[int], now: int) -> None:
    """Record since when deliveries have failed."""
    if ids:
        since = case((subscriptions.c.failed_at.is_(None), now), else_=subscriptions.c.failed_at)
        conn.execute(
            update(subscriptions).where(subscriptions.c.id.in_(ids)).values(failed_at=since)
        )


def counts(conn: Connection) -> Counts:
    row = conn.execute(
        select(
            func.count(),
            func.count(subscriptions.c.user_id.distinct()),
            func.count(subscriptions.c.failed_at),
        ).select_from(subscriptions)
    ).one()
    return Counts(*row)
