import msgspec
from sqlalchemy import Connection, delete, func, select, update
from sqlalchemy.sql.dml import Update

from quartet.kernel.errors import Problem
from quartet.wind.stats.tables import statistics, statistics_years
from quartet.wind.stats.types import StatisticsTask, StatsSource
from quartet.wind.store_upsert import put


def task_of(conn: Connection, station: int) -> StatisticsTask | None:
    row = conn.execute(select(statistics).where(statistics.c.station == station)).first()
    return msgspec.convert(row._mapping, StatisticsTask) if row else None


def due(conn: Connection, now: int) -> int | None:
    """Return the station that is due longest; new requests before updates."""
    wanted = select(statistics.c.station).where(statistics.c.next_try <= now)
    order = statistics.c.done.is_not(None), statistics.c.next_try
    return conn.execute(wanted.order_by(*order).limit(1)).scalar()


def waiting(conn: Connection) -> int:
    unseen = select(func.count()).select_from(statistics).where(statistics.c.done.is_(None))
    return conn.execute(unseen).scalar_one()


def ask(conn: Connection, station: int, now: int) -> None:
    put(conn, statistics, [{"station": station, "asked": now, "next_try": now}])


def years(conn: Connection, station: int) -> dict[int, bytes]:
    rows = conn.execute(
        select(statistics_years)
        .where(statistics_years.c.station == station)
        .order_by(statistics_years.c.year)
    )
    return {row.year: row.counts for row in rows}


def count_years(conn: Connection, station: int) -> int:
    count_hours = select(func.count()).select_from(statistics_years)
    return conn.execute(count_hours.where(statistics_years.c.station == station)).scalar_one()


def add_year(conn: Connection, station: int, year: int, counts: bytes, source: StatsSource) -> None:
    put(conn, statistics_years, [{"station": station, "year": year, "counts": counts}])
    conn.execute(_of(station).values(source=source))


def finish(conn: Connection, station: int, first_year: int, now: int, next_try: int) -> None:
    old = statistics_years.c.year < first_year
    conn.execute(delete(statistics_years).where(statistics_years.c.station == station, old))
    conn.execute(_of(station).values(done=now, next_try=next_try, error=None))


def failed(conn: Connection, station: int, error: Problem, next_try: int) -> None:
    problem = msgspec.to_builtins(error)
    conn.execute(_of(station).values(error=problem, next_try=next_try))


def make_due(conn: Connection, station: int, now: int) -> None:
    conn.execute(_of(station).values(next_try=now))


def forget(conn: Connection, station: int) -> None:
    conn.execute(delete(statistics_years).where(statistics_years.c.station == station))
    conn.execute(delete(statistics).where(statistics.c.station == station))


def _of(station: int) -> Update:
    return update(statistics).where(statistics.c.station == station)
