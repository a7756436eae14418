from sqlalchemy import Connection, delete, text

from quartet.wind.accounts.tables import ceremonies, email_tokens, sessions
from quartet.wind.admin.storage.types import AdminDatabase


def database(conn: Connection) -> AdminDatabase:
    if conn.dialect.name == "postgresql":
        size = conn.execute(text("SELECT pg_database_size(current_database())")).scalar_one()
        return AdminDatabase("postgresql", size, None)
    pages, free, size = (
        conn.exec_driver_sql(f"PRAGMA {name}").scalar_one()
        for name in ("page_count", "freelist_count", "page_size")
    )
    return AdminDatabase("sqlite", pages * size, free * size)


def remove_expired(conn: Connection, now: int) -> int:
    """Sessions that are over, and questions and links nobody has answered."""
    waiting = (sessions, ceremonies, email_tokens)
    over = [delete(each).where(each.c.expires_at <= now) for each in waiting]
    return sum(conn.execute(each).rowcount for each in over)
