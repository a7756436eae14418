from collections.abc import Sequence

from sqlalchemy import Connection, delete, func, insert, select, update

from quartet.wind.messengers.tables import messengers
from quartet.wind.messengers.types import StoredMessenger


def of_user(conn: Connection, user: int) -> list[StoredMessenger]:
    mine = select(messengers).where(messengers.c.user_id == user).order_by(messengers.c.id)
    return [
        StoredMessenger(row.id, row.url, row.created_at, row.failed_at)
        for row in conn.execute(mine)
    ]


def add(conn: Connection, user: int, url: str, now: int) -> int:
    values = {"user_id": user, "url": url, "created_at": now}
    key = conn.execute(insert(messengers).values(values)).inserted_primary_key
    assert key is not None  # noqa: S101
    return int(key[0])


def remove(conn: Connection, user: int, id: int) -> bool:
    mine = delete(messengers).where(messengers.c.user_id == user, messengers.c.id == id)
    return conn.execute(mine).rowcount > 0


def mark(conn: Connection, delivered: Sequence[int], failed: Sequence[int], now: int) -> None:
    """Record the outcome of a delivery."""
    if delivered:
        reached = update(messengers).where(messengers.c.id.in_(delivered))
        conn.execute(reached.values(failed_at=None))
    if failed:
        missed = update(messengers).where(messengers.c.id.in_(failed))
        conn.execute(missed.values(failed_at=func.coalesce(messengers.c.failed_at, now)))
