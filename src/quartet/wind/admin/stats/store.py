from typing import Any, Literal

import msgspec
from sqlalchemy import Connection, Row, func, select

from quartet.kernel.errors import Problem
from quartet.wind.admin.stats.types import AdminStat
from quartet.wind.stations.tables import stations
from quartet.wind.stats.tables import statistics, statistics_years


def count(conn: Connection) -> int:
    return conn.execute(select(func.count()).select_from(statistics)).scalar_one()


def page(conn: Connection, offset: int, limit: int) -> list[AdminStat]:
    """What needs somebody first: failed, then pending, then ready; the latest of each first."""
    years = (
        select(func.count())
        .where(statistics_years.c.station == statistics.c.station)
        .scalar_subquery()
    )
    rows = conn.execute(
        select(statistics, stations.c.slug, stations.c.name, years.label("years"))
        .join(stations, stations.c.id == statistics.c.station)
        .order_by(
            statistics.c.error.is_(None),
            statistics.c.done.is_not(None),
            statistics.c.asked.desc(),
            statistics.c.station,
        )
        .offset(offset)
        .limit(limit)
    )
    return [_stat(row) for row in rows]


def _stat(row: Row[Any]) -> AdminStat:
    error = msgspec.convert(row.error, Problem) if row.error else None
    state: Literal["ready", "pending", "failed"] = "failed" if error else "pending"
    return AdminStat(
        station=row.slug,
        name=row.name,
        state="ready" if row.done is not None else state,
        asked=row.asked,
        done=row.done,
        next_try=row.next_try,
        years=row.years,
        source=row.source,
        error=error,
    )
