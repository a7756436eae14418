from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import Column, Connection, Row, bindparam, delete, func, insert, select, update

from quartet.wind.spots.tables import spots
from quartet.wind.spots.types import Favorite, Sector

_COLUMNS: tuple[Column[Any], ...] = (
    spots.c.id,
    spots.c.name,
    spots.c.lat,
    spots.c.lon,
    spots.c.timezone,
    spots.c.directions,
    spots.c.position,
    spots.c.station,
)


def of_user(conn: Connection, user: int) -> list[Favorite]:
    mine = select(*_COLUMNS).where(spots.c.user_id == user)
    return [_favorite(row) for row in conn.execute(mine.order_by(spots.c.position, spots.c.id))]


def one(conn: Connection, user: int, spot: int) -> Favorite | None:
    mine = select(*_COLUMNS).where(spots.c.id == spot, spots.c.user_id == user)
    row = conn.execute(mine).first()
    return _favorite(row) if row else None


def count(conn: Connection, user: int) -> int:
    mine = select(func.count()).select_from(spots).where(spots.c.user_id == user)
    return conn.execute(mine).scalar_one()


def add(conn: Connection, user: int, values: Mapping[str, Any]) -> int:
    """Append a spot; return its id."""
    last = select(func.max(spots.c.position)).where(spots.c.user_id == user)
    highest = conn.execute(last).scalar()
    position = 0 if highest is None else highest + 1
    added = insert(spots).values(user_id=user, position=position, **values).returning(spots.c.id)
    number: int = conn.execute(added).scalar_one()
    return number


def change(conn: Connection, user: int, spot: int, values: Mapping[str, Any]) -> None:
    conn.execute(update(spots).where(spots.c.id == spot, spots.c.user_id == user).values(**values))


def remove(conn: Connection, user: int, spot: int) -> bool:
    gone = delete(spots).where(spots.c.id == spot, spots.c.user_id == user)
    return conn.execute(gone).rowcount > 0


def reorder(conn: Connection, ids: Sequence[int]) -> None:
    if ids:
        moved = update(spots).where(spots.c.id == bindparam("spot"))
        places = [{"spot": spot, "place": place} for place, spot in enumerate(ids)]
        conn.execute(moved.values(position=bindparam("place")), places)


def _favorite(row: Row[Any]) -> Favorite:
    directions = msgspec.convert(row.directions, list[Sector])
    return Favorite(
        row.id, row.name, row.lat, row.lon, row.timezone, directions, row.position, row.station
    )
