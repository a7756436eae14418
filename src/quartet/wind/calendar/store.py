from sqlalchemy import Connection, delete, not_, select

from quartet.wind.accounts.tables import users
from quartet.wind.calendar.tables import calendar_feeds as feeds
from quartet.wind.calendar.types import CalendarReader
from quartet.wind.store_upsert import put
from quartet.wind.units import units_of


def created_at(conn: Connection, user: int) -> int | None:
    mine = select(feeds.c.created_at).where(feeds.c.user_id == user)
    return conn.execute(mine).scalar_one_or_none()


def save(conn: Connection, user: int, token_hash: str, now: int) -> None:
    put(conn, feeds, [{"user_id": user, "token_hash": token_hash, "created_at": now}])


def remove(conn: Connection, user: int) -> None:
    conn.execute(delete(feeds).where(feeds.c.user_id == user))


def owner(conn: Connection, token_hash: str) -> tuple[int, CalendarReader] | None:
    """Return the id of the user whose feed it is, unless the account is disabled."""
    found = (
        select(users.c.id, users.c.language, users.c.units)
        .join(feeds, feeds.c.user_id == users.c.id)
        .where(feeds.c.token_hash == token_hash, not_(users.c.disabled))
    )
    row = conn.execute(found).first()
    return (row.id, CalendarReader(row.language, units_of(row.units).wind)) if row else None
