from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from quartet.wind.accounts.tables import invites
from quartet.wind.accounts.types import Invite, Role

_SHOWN = [column for column in invites.c if column.name != "code_hash"]


def everything(conn: Connection) -> list[Invite]:
    rows = conn.execute(select(*_SHOWN).order_by(invites.c.id.desc()))
    return [Invite(*row) for row in rows]


def add(conn: Connection, values: dict[str, Any]) -> Invite:
    return Invite(*conn.execute(insert(invites).values(values).returning(*_SHOWN)).one())


def remove(conn: Connection, invite_id: int) -> bool:
    return conn.execute(delete(invites).where(invites.c.id == invite_id)).rowcount > 0


def remove_first_admin(conn: Connection) -> None:
    """Remove unused invites that no user has created."""
    unused = invites.c.created_by.is_(None) & invites.c.used_at.is_(None)
    conn.execute(delete(invites).where(unused, invites.c.role == "admin"))


def usable(conn: Connection, code_hash: str, now: int) -> Invite | None:
    row = conn.execute(select(*_SHOWN).where(*_is_usable(code_hash, now))).first()
    return Invite(*row) if row else None


def use(conn: Connection, code_hash: str, now: int) -> Role | None:
    """Mark the invite as used and return its role, or None if it was used concurrently."""
    used = update(invites).where(*_is_usable(code_hash, now)).values(used_at=now)
    return conn.execute(used.returning(invites.c.role)).scalar_one_or_none()


def used_by(conn: Connection, code_hash: str, user_id: int) -> None:
    own = invites.c.code_hash == code_hash
    conn.execute(update(invites).where(own).values(used_by=user_id))


def _is_usable(code_hash: str, now: int) -> tuple[Any, ...]:
    return (
        invites.c.code_hash == code_hash,
        invites.c.used_at.is_(None),
        invites.c.expires_at > now,
    )
