from typing import Any

import msgspec
from sqlalchemy import Connection, Select, Table, delete, insert, select, update

from quartet.kernel.auth.types import Session


def add(conn: Connection, sessions: Table, session: Session) -> None:
    conn.execute(insert(sessions).values(msgspec.structs.asdict(session)))


def find(conn: Connection, sessions: Table, token_hash: str) -> Session | None:
    query = _select(sessions).where(sessions.c.token_hash == token_hash)
    row = conn.execute(query).first()
    return Session(*row) if row else None


def of_subject(conn: Connection, sessions: Table, subject: str, now: int) -> list[Session]:
    """Return the valid sessions of a subject, newest first."""
    query = _select(sessions).where(sessions.c.subject == subject, sessions.c.expires_at > now)
    rows = conn.execute(query.order_by(sessions.c.created_at.desc(), sessions.c.token_hash))
    return [Session(*row) for row in rows]


def seen(conn: Connection, sessions: Table, session: Session) -> None:
    query = update(sessions).where(sessions.c.token_hash == session.token_hash)
    conn.execute(query.values(seen_at=session.seen_at, address=session.address))


def remove(conn: Connection, sessions: Table, token_hash: str) -> None:
    conn.execute(delete(sessions).where(sessions.c.token_hash == token_hash))


def remove_subject(
    conn: Connection, sessions: Table, subject: str, keep: str | None = None
) -> None:
    conn.execute(
        delete(sessions).where(sessions.c.subject == subject, sessions.c.token_hash != (keep or ""))
    )


def remove_expired(conn: Connection, sessions: Table, now: int) -> None:
    conn.execute(delete(sessions).where(sessions.c.expires_at <= now))


def _select(sessions: Table) -> Select[Any]:
    return select(*(sessions.c[name] for name in Session.__struct_fields__))
