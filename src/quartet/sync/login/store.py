from sqlalchemy import Connection, delete, insert, select

from quartet.sync.login.tables import admin

ONLY = 1


def password_hash(conn: Connection) -> str | None:
    return conn.execute(select(admin.c.password_hash)).scalar_one_or_none()


def lock_password_hash(conn: Connection) -> str | None:
    """Return the hash, which stays the same until the transaction ends."""
    query = select(admin.c.password_hash).with_for_update()
    return conn.execute(query).scalar_one_or_none()


def set_password_hash(conn: Connection, password_hash: str) -> None:
    conn.execute(delete(admin))
    conn.execute(insert(admin).values(id=ONLY, password_hash=password_hash))
