"""Queries on recent checks of sessions."""

from sqlalchemy import Connection, delete, select

from quartet.wind.accounts.tables import session_checks, sessions
from quartet.wind.store_upsert import put


def checked_at(conn: Connection, session: str) -> int | None:
    """Return when the user of a session last proved to be its owner; signing in counts."""
    row = conn.execute(
        select(sessions.c.created_at, session_checks.c.at)
        .outerjoin(session_checks, session_checks.c.session == sessions.c.token_hash)
        .where(sessions.c.token_hash == session)
    ).first()
    return None if row is None else max(row.created_at, row.at or 0)


def note_check(conn: Connection, session: str, now: int) -> None:
    ended = session_checks.c.session.not_in(select(sessions.c.token_hash))
    conn.execute(delete(session_checks).where(ended))
    put(conn, session_checks, [{"session": session, "at": now}])
