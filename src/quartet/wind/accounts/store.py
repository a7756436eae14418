"""Queries on users and their sessions."""

from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, func, not_, or_, select, true, update
from sqlalchemy.exc import IntegrityError

from quartet.kernel.auth import Session
from quartet.wind.accounts.tables import passkeys, sessions, users
from quartet.wind.accounts.types import User, UserShown
from quartet.wind.mail.address import email_key
from quartet.wind.store_upsert import insert_into
from quartet.wind.units import Units, units_of


def user(conn: Connection, user_id: int) -> User | None:
    return _one(conn, users.c.id == user_id)


def lock_user(conn: Connection, user_id: int) -> User | None:
    """Lock the row until the transaction ends; SQLite has a single writer anyway."""
    row = conn.execute(select(users).where(users.c.id == user_id).with_for_update()).first()
    return _user(row) if row else None


def by_email(conn: Connection, email: str) -> User | None:
    return _one(conn, users.c.email_key == email_key(email))


def _one(conn: Connection, which: ColumnElement[bool]) -> User | None:
    row = conn.execute(select(users).where(which)).first()
    return _user(row) if row else None


def add(conn: Connection, values: dict[str, Any]) -> int | None:
    """Insert a user and return its id, or None if the address already has an account."""
    statement = insert_into(conn, users).values(values)
    only_one = statement.on_conflict_do_nothing(index_elements=["email_key"])
    return conn.execute(only_one.returning(users.c.id)).scalar_one_or_none()


def change(conn: Connection, user_id: int, **values: Any) -> None:
    conn.execute(update(users).where(users.c.id == user_id).values(values))


def remove(conn: Connection, user_id: int) -> None:
    """Delete the user; foreign keys cascade to everything that belongs to it."""
    conn.execute(delete(users).where(users.c.id == user_id))


def set_email(conn: Connection, user_id: int, email: str | None, *, confirmed: bool) -> bool:
    """Return False if another account has this address."""
    key = email_key(email) if email else None
    try:
        with conn.begin_nested():
            change(conn, user_id, email=email, email_key=key, email_confirmed=confirmed)
    except IntegrityError:
        return False
    return True


_ACTIVE_ADMIN = (users.c.role == "admin") & not_(users.c.disabled)


def has_admin(conn: Connection) -> bool:
    return conn.execute(select(users.c.id).where(_ACTIVE_ADMIN).limit(1)).first() is not None


def lock_admins(conn: Connection) -> list[int]:
    """Lock the active admins, so that two admins cannot demote each other at the same time."""
    active = select(users.c.id).where(_ACTIVE_ADMIN).order_by(users.c.id)
    return list(conn.execute(active.with_for_update()).scalars())


def sessions_of(conn: Connection, user_id: int, now: int) -> list[Session]:
    rows = conn.execute(
        select(sessions)
        .where(sessions.c.subject == str(user_id), sessions.c.expires_at > now)
        .order_by(sessions.c.created_at.desc(), sessions.c.token_hash)
    )
    return [Session(*row) for row in rows]


_KEYS = (
    select(func.count())
    .select_from(passkeys)
    .where(passkeys.c.user_id == users.c.id)
    .correlate(users)
    .scalar_subquery()
)
_SHOWN = select(users, _KEYS.label("passkeys"))


def shown(conn: Connection, user_id: int) -> UserShown | None:
    row = conn.execute(_SHOWN.where(users.c.id == user_id)).first()
    return _shown(row) if row else None


def page(conn: Connection, search: str, offset: int, limit: int) -> list[UserShown]:
    wanted = _SHOWN.where(_matching(search)).order_by(users.c.id).offset(offset).limit(limit)
    return [_shown(row) for row in conn.execute(wanted)]


def count(conn: Connection, search: str = "") -> int:
    wanted = select(func.count()).select_from(users).where(_matching(search))
    return conn.execute(wanted).scalar_one()


def _matching(search: str) -> ColumnElement[bool]:
    if not search:
        return true()
    return or_(
        users.c.name.icontains(search, autoescape=True),
        users.c.email.icontains(search, autoescape=True),
    )


def _user(row: Row[Any]) -> User:
    values = row._asdict()
    return User(**values | {"units": _units(row)})


def _units(row: Row[Any]) -> Units | None:
    return None if row.units is None else units_of(row.units)


def _shown(row: Row[Any]) -> UserShown:
    return UserShown(
        row.id,
        row.name,
        row.email,
        row.email_confirmed,
        row.password_hash is not None,
        row.passkeys,
        row.role,
        row.disabled,
        row.language,
        row.created_at,
        row.seen_at,
        _units(row),
    )
