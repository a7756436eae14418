from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, delete, func, select

from quartet.wind.observations.tables import measurements, tafs
from quartet.wind.observations.types import Measurement, Taf
from quartet.wind.store_upsert import put

Measured = tuple[int, Measurement]


def add(conn: Connection, rows: Iterable[Measured]) -> None:
    values = [{"station": station, **msgspec.structs.asdict(each)} for station, each in rows]
    put(conn, measurements, values)


def latest(conn: Connection, since: int) -> list[Measured]:
    newest = (
        select(measurements.c.station, func.max(measurements.c.time).label("time"))
        .where(measurements.c.time >= since)
        .group_by(measurements.c.station)
        .subquery()
    )
    same = (measurements.c.station == newest.c.station) & (measurements.c.time == newest.c.time)
    rows = conn.execute(select(measurements).join(newest, same))
    return [(row.station, _measurement(row)) for row in rows]


def between(conn: Connection, station: int, start: int, end: int) -> list[Measurement]:
    """Return one measurement per time, oldest first."""
    rows = conn.execute(
        select(measurements)
        .where(measurements.c.station == station, measurements.c.time.between(start, end))
        .order_by(measurements.c.time, measurements.c.source)
    )
    return list({row.time: _measurement(row) for row in rows}.values())


def put_tafs(conn: Connection, found: Sequence[tuple[int, Taf]]) -> None:
    rows = [
        {"station": station, "issued": taf.issued, "report": msgspec.to_builtins(taf)}
        for station, taf in found
    ]
    put(conn, tafs, rows)


def taf_of(conn: Connection, station: int, now: int) -> Taf | None:
    """Return the TAF unless it has expired."""
    row = conn.execute(select(tafs.c.report).where(tafs.c.station == station)).first()
    taf = msgspec.convert(row.report, Taf) if row else None
    return taf if taf and taf.valid_to > now else None


def prune(conn: Connection, before: int) -> int:
    conn.execute(delete(tafs).where(tafs.c.issued < before))
    return conn.execute(delete(measurements).where(measurements.c.time < before)).rowcount


def _measurement(row: Row[Any]) -> Measurement:
    return Measurement(row.time, row.wind, row.direction, row.source, row.gust, row.variable)
