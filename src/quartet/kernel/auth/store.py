from sqlalchemy import Connection, Table, delete, insert, select

from quartet.kernel.auth.types import Session


def add(conn: Connection, sessions: Table, session: Session) -> None:
    conn.execute(
        insert(sessions).values(
            token_hash=session.token_hash,
            subject=session.subject,
            created_at=session.created_at,
            expires_at=session.expires_at,
        )
    )


def find(conn: Connection, sessions: Table, token_hash: str) -> Session | None:
    row = conn.execute(select(sessions).where(sessions.c.token_hash == token_hash)).first()
    return Session(row.token_hash, row.subject, row.created_at, row.expires_at) if row else None


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
