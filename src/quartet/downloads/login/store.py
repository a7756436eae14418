from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from quartet.downloads.login.tables import api_token, user

ONLY = 1


def user_name(conn: Connection) -> str | None:
    return conn.execute(select(user.c.name)).scalar_one_or_none()


def password_hash(conn: Connection, name: str) -> str | None:
    query = select(user.c.password_hash).where(user.c.name == name)
    return conn.execute(query).scalar_one_or_none()


def lock_password_hash(conn: Connection, name: str) -> str | None:
    """Return the hash, which stays the same until the transaction ends."""
    query = select(user.c.password_hash).where(user.c.name == name)
    return conn.execute(query.with_for_update()).scalar_one_or_none()


def add_user(conn: Connection, name: str, password_hash: str) -> bool:
    """Add the user; return False if one exists, also for simultaneous requests."""
    try:
        conn.execute(insert(user).values(id=ONLY, name=name, password_hash=password_hash))
    except IntegrityError:
        return False
    return True


def replace_user(conn: Connection, name: str, password_hash: str) -> None:
    conn.execute(delete(user))
    conn.execute(insert(user).values(id=ONLY, name=name, password_hash=password_hash))


def set_password_hash(conn: Connection, name: str, password_hash: str) -> None:
    conn.execute(update(user).where(user.c.name == name).values(password_hash=password_hash))


def replace_api_token(conn: Connection, token_hash: str, now: int) -> None:
    conn.execute(delete(api_token))
    conn.execute(insert(api_token).values(id=ONLY, token_hash=token_hash, created_at=now))


def api_token_hash(conn: Connection) -> str | None:
    return conn.execute(select(api_token.c.token_hash)).scalar_one_or_none()
