from typing import Any

from sqlalchemy import Connection, delete, func, select, update

from quartet.wind.accounts.tables import passkeys, users
from quartet.wind.accounts.types import Passkey
from quartet.wind.store_upsert import insert_into


def of_user(conn: Connection, user_id: int) -> list[Passkey]:
    rows = conn.execute(
        select(passkeys).where(passkeys.c.user_id == user_id).order_by(passkeys.c.id)
    )
    return [Passkey(*row) for row in rows]


def count(conn: Connection, user_id: int) -> int:
    wanted = select(func.count()).select_from(passkeys).where(passkeys.c.user_id == user_id)
    return conn.execute(wanted).scalar_one()


def owned(conn: Connection, credential_id: bytes, handle: bytes) -> Passkey | None:
    """Find a passkey by credential id and user handle; both must belong to the same user."""
    row = conn.execute(
        select(passkeys)
        .join(users, users.c.id == passkeys.c.user_id)
        .where(passkeys.c.credential_id == credential_id, users.c.handle == handle)
    ).first()
    return Passkey(*row) if row else None


def add(conn: Connection, values: dict[str, Any]) -> bool:
    """Return False if the passkey is already registered."""
    statement = insert_into(conn, passkeys).values(values)
    only_one = statement.on_conflict_do_nothing(index_elements=["credential_id"])
    return conn.execute(only_one.returning(passkeys.c.id)).scalar_one_or_none() is not None


def change(conn: Connection, user_id: int, passkey_id: int, **values: Any) -> Passkey | None:
    own = (passkeys.c.id == passkey_id) & (passkeys.c.user_id == user_id)
    row = conn.execute(update(passkeys).where(own).values(values).returning(passkeys)).first()
    return Passkey(*row) if row else None


def remove(conn: Connection, user_id: int, passkey_id: int) -> bool:
    own = (passkeys.c.id == passkey_id) & (passkeys.c.user_id == user_id)
    return conn.execute(delete(passkeys).where(own)).rowcount > 0
