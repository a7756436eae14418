from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, delete, func, select

from quartet.wind.observations.tables import measurements
from quartet.wind.store_upsert import insert_into, put
from quartet.wind.verification.tables import issued_forecasts as issued
from quartet.wind.verification.tables import verified_days as verified


class Issued(NamedTuple):
    station: int
    issued: int
    models: str
    hours: bytes


class DaySums(NamedTuple):
    station: int
    day: int
    models: str
    sums: bytes


def add(conn: Connection, rows: Sequence[Issued]) -> None:
    """Add forecasts; those that are already stored stay as they were issued."""
    if rows:
        statement = insert_into(conn, issued).on_conflict_do_nothing()
        conn.execute(statement, [row._asdict() for row in rows])


def stations_at(conn: Connection, time: int) -> set[int]:
    """Return the stations with a forecast issued at a time."""
    return set(conn.execute(select(issued.c.station).where(issued.c.issued == time)).scalars())


def stations_between(conn: Connection, first: int, last: int) -> list[int]:
    found = select(issued.c.station).where(issued.c.issued.between(first, last)).distinct()
    return sorted(conn.execute(found).scalars())


def between(
    conn: Connection, stations: Sequence[int], first: int, last: int, limit: int | None = None
) -> list[Issued]:
    """Return forecasts of some stations issued in a period, oldest first."""
    found = (
        select(issued)
        .where(issued.c.station.in_(stations), issued.c.issued.between(first, last))
        .order_by(issued.c.issued)
        .limit(limit)
    )
    return [Issued(*row) for row in conn.execute(found)]


def measured(
    conn: Connection, stations: Sequence[int], first: int, last: int
) -> list[tuple[int, int, float]]:
    found = select(measurements.c.station, measurements.c.time, measurements.c.wind).where(
        measurements.c.station.in_(stations), measurements.c.time.between(first, last)
    )
    return [(row.station, row.time, row.wind) for row in conn.execute(found)]


def last_day(conn: Connection) -> int | None:
    """Return the start of the newest day with results."""
    return conn.execute(select(func.max(verified.c.day))).scalar_one_or_none()


def save_days(conn: Connection, rows: Sequence[DaySums]) -> None:
    put(conn, verified, [row._asdict() for row in rows])


def days_of(conn: Connection, station: int, since: int) -> list[DaySums]:
    found = select(verified).where(verified.c.station == station, verified.c.day >= since)
    return [DaySums(*row) for row in conn.execute(found.order_by(verified.c.day))]


def prune(conn: Connection, issued_before: int, verified_before: int) -> int:
    conn.execute(delete(verified).where(verified.c.day < verified_before))
    return conn.execute(delete(issued).where(issued.c.issued < issued_before)).rowcount
