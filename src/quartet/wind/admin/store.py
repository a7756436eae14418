from typing import Any, Literal, NamedTuple

import msgspec
from sqlalchemy import Connection, Row, delete, func, select, text

from quartet.kernel.errors import Problem
from quartet.wind.accounts.tables import ceremonies, email_tokens, sessions, users
from quartet.wind.admin.stats import AdminStat
from quartet.wind.alerts.tables import alarm_messages, alarms
from quartet.wind.observations.tables import measurements, tafs
from quartet.wind.push.tables import subscriptions
from quartet.wind.spots.tables import spots
from quartet.wind.stations.tables import stations
from quartet.wind.stats.tables import statistics, statistics_years


class RowCounts(NamedTuple):
    users: int
    spots: int
    alarms: int
    subscriptions: int
    stations: int


def count_rows(conn: Connection) -> RowCounts:
    tables = (users, spots, alarms, subscriptions, stations)
    return RowCounts(
        *(conn.execute(select(func.count()).select_from(each)).scalar_one() for each in tables)
    )


class ActiveAdmin(NamedTuple):
    """`email` is None if it is not confirmed."""

    id: int
    language: str
    email: str | None


def active_admins(conn: Connection) -> list[ActiveAdmin]:
    columns = (users.c.id, users.c.language, users.c.email, users.c.email_confirmed)
    query = select(*columns).where(users.c.role == "admin", ~users.c.disabled)
    return [
        ActiveAdmin(row.id, row.language, row.email if row.email_confirmed else None)
        for row in conn.execute(query)
    ]


def count_failed_messages(conn: Connection, since: int) -> int:
    """Count messages that could not be delivered."""
    failed = (alarm_messages.c.state == "failed") & (alarm_messages.c.made_at >= since)
    counted = select(func.count()).select_from(alarm_messages).where(failed)
    return conn.execute(counted).scalar_one()


def count_measurements(conn: Connection, since: int) -> dict[str, int]:
    """Count measurements by source; served by the index on time."""
    rows = conn.execute(
        select(measurements.c.source, func.count())
        .where(measurements.c.time >= since)
        .group_by(measurements.c.source)
    )
    return {source: count for source, count in rows}


def newest_measurement(conn: Connection, source: str) -> int | None:
    """Return the time of the newest measurement, walking the time index backwards."""
    latest = select(measurements.c.time).where(measurements.c.source == source)
    return conn.execute(latest.order_by(measurements.c.time.desc()).limit(1)).scalar()


def newest_taf(conn: Connection) -> int | None:
    return conn.execute(select(func.max(tafs.c.issued))).scalar()


def count_tafs(conn: Connection, since: int) -> int:
    recent = select(func.count()).select_from(tafs).where(tafs.c.issued >= since)
    return conn.execute(recent).scalar_one()


def count_statistics(conn: Connection) -> int:
    return conn.execute(select(func.count()).select_from(statistics)).scalar_one()


def statistics_page(conn: Connection, offset: int, limit: int) -> list[AdminStat]:
    """Return failed, then pending, then ready statistics; the latest request first."""
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


class DatabaseSize(NamedTuple):
    kind: str
    bytes: int
    reclaimable: int | None


def database_size(conn: Connection) -> DatabaseSize:
    if conn.dialect.name == "postgresql":
        size = conn.execute(text("SELECT pg_database_size(current_database())")).scalar_one()
        return DatabaseSize("postgresql", size, None)
    pages, free, size = (
        conn.exec_driver_sql(f"PRAGMA {name}").scalar_one()
        for name in ("page_count", "freelist_count", "page_size")
    )
    return DatabaseSize("sqlite", pages * size, free * size)


def remove_expired(conn: Connection, now: int) -> int:
    """Delete expired sessions, passkey ceremonies and mail links."""
    waiting = (sessions, ceremonies, email_tokens)
    over = [delete(each).where(each.c.expires_at <= now) for each in waiting]
    return sum(conn.execute(each).rowcount for each in over)
