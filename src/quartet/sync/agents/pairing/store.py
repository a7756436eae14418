from sqlalchemy import Connection, delete, insert, select, update

from quartet.sync.agents.pairing.tables import enrollments
from quartet.sync.agents.pairing.types import KnownCode


def add(conn: Connection, code_hash: str, name: str | None, expires_at: int) -> None:
    conn.execute(insert(enrollments).values(code_hash=code_hash, name=name, expires_at=expires_at))


def find(conn: Connection, code_hash: str) -> KnownCode | None:
    query = select(
        enrollments.c.expires_at,
        enrollments.c.used_at,
        enrollments.c.device_id,
        enrollments.c.name,
    )
    row = conn.execute(query.where(enrollments.c.code_hash == code_hash)).first()
    return KnownCode(*row) if row else None


def use(conn: Connection, code_hash: str, now: int) -> bool:
    """Mark the code as used; return True for only one of several concurrent callers."""
    query = update(enrollments).where(
        enrollments.c.code_hash == code_hash,
        enrollments.c.used_at.is_(None),
        enrollments.c.expires_at > now,
    )
    return conn.execute(query.values(used_at=now)).rowcount == 1


def used_by(conn: Connection, code_hash: str, device_id: int) -> None:
    query = update(enrollments).where(enrollments.c.code_hash == code_hash)
    conn.execute(query.values(device_id=device_id))


def forget(conn: Connection, before: int) -> None:
    """Delete codes that expired before the given time."""
    conn.execute(delete(enrollments).where(enrollments.c.expires_at < before))
