"""Queries on recovery codes."""

from collections.abc import Sequence

from sqlalchemy import Connection, delete, func, insert, select, update

from quartet.wind.accounts.tables import recovery_codes as codes


def replace(conn: Connection, user_id: int, hashes: Sequence[str], now: int) -> None:
    conn.execute(delete(codes).where(codes.c.user_id == user_id))
    rows = [{"user_id": user_id, "code_hash": each, "created_at": now} for each in hashes]
    conn.execute(insert(codes), rows)


def use(conn: Connection, code_hash: str, now: int) -> int | None:
    """Use up a code; return the id of its user, or None if it is unknown or used."""
    unused = update(codes).where(codes.c.code_hash == code_hash, codes.c.used_at.is_(None))
    return conn.execute(unused.values(used_at=now).returning(codes.c.user_id)).scalar_one_or_none()


def left(conn: Connection, user_id: int) -> int:
    unused = (codes.c.user_id == user_id) & codes.c.used_at.is_(None)
    return conn.execute(select(func.count()).select_from(codes).where(unused)).scalar_one()
