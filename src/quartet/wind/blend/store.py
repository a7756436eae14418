from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, select

from quartet.wind.blend.tables import blend_states as states
from quartet.wind.observations.tables import measurements
from quartet.wind.ranking.tables import kept_forecasts as kept
from quartet.wind.store_upsert import put

Pair = tuple[int, str, int, bytes]
Measured = tuple[int, int, float]


class Stored(NamedTuple):
    station: int
    version: int
    learned: int
    models: str
    numbers: bytes


def states_of(conn: Connection, stations: Sequence[int]) -> dict[int, Stored]:
    rows = conn.execute(select(states).where(states.c.station.in_(stations)))
    return {row.station: Stored(*row) for row in rows}


def save(conn: Connection, rows: Sequence[Stored]) -> None:
    put(conn, states, [row._asdict() for row in rows])


def learned_stations(conn: Connection) -> set[int]:
    return set(conn.execute(select(states.c.station)).scalars())


def forecasts(conn: Connection, stations: Sequence[int], first: int, last: int) -> list[Pair]:
    """Return the stored forecasts of runs in a period."""
    found = select(kept.c.station, kept.c.model, kept.c.run, kept.c.hours).where(
        kept.c.station.in_(stations), kept.c.run.between(first, last)
    )
    return [(row.station, row.model, row.run, row.hours) for row in conn.execute(found)]


def latest(conn: Connection, station: int, since: int) -> tuple[int, float] | None:
    """Return time and wind of the newest measurement."""
    newest = (
        select(measurements.c.time, measurements.c.wind)
        .where(measurements.c.station == station, measurements.c.time >= since)
        .order_by(measurements.c.time.desc())
        .limit(1)
    )
    row = conn.execute(newest).first()
    return (row.time, row.wind) if row else None


def measured(conn: Connection, stations: Sequence[int], first: int, last: int) -> list[Measured]:
    found = select(measurements.c.station, measurements.c.time, measurements.c.wind).where(
        measurements.c.station.in_(stations), measurements.c.time.between(first, last)
    )
    return [(row.station, row.time, row.wind) for row in conn.execute(found)]
