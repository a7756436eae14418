import msgspec
from sqlalchemy import Connection, delete, insert, select

from quartet.sync.oidc.tables import oidc_attempts
from quartet.sync.oidc.types import Attempt

MOST_ATTEMPTS = 1000


def begin(conn: Connection, attempt: Attempt, now: int) -> None:
    """Add an attempt; remove expired ones, and the oldest if there are too many."""
    table = oidc_attempts
    newest = select(table.c.expires_at).order_by(table.c.expires_at.desc())
    limit = conn.execute(newest.offset(MOST_ATTEMPTS).limit(1)).scalar() or 0
    conn.execute(delete(table).where(table.c.expires_at <= max(now, limit)))
    conn.execute(insert(table).values(msgspec.structs.asdict(attempt)))


def take(conn: Connection, state_hash: str) -> Attempt | None:
    """Remove an attempt, so that it works once, and return it."""
    query = select(*(oidc_attempts.c[name] for name in Attempt.__struct_fields__))
    row = conn.execute(query.where(oidc_attempts.c.state_hash == state_hash)).first()
    gone = conn.execute(delete(oidc_attempts).where(oidc_attempts.c.state_hash == state_hash))
    return Attempt(*row) if row and gone.rowcount else None
