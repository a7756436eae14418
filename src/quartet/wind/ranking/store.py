from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, delete, select

from quartet.wind.models.catalogue import ENSEMBLES
from quartet.wind.ranking.tables import kept_forecasts as kept
from quartet.wind.store_upsert import put

# Their rows are the spread of members, not a wind that could be ranked.
_WITHOUT_WIND = [model.id for model in ENSEMBLES]

Kept = tuple[int, str, int, bytes]


def keep(conn: Connection, rows: Sequence[Kept]) -> None:
    names = ("station", "model", "run", "hours")
    values: list[dict[str, Any]] = [dict(zip(names, row, strict=True)) for row in rows]
    put(conn, kept, values)


def stations_of(conn: Connection, model: str, run: int) -> set[int]:
    """Return the stations for which a run is stored."""
    found = select(kept.c.station).where(kept.c.run == run, kept.c.model == model)
    return set(conn.execute(found).scalars())


def stations(conn: Connection) -> set[int]:
    """Return the stations with any stored forecast."""
    return set(conn.execute(select(kept.c.station).distinct()).scalars())


def of_station(conn: Connection, station: int, since: int) -> list[tuple[str, int, bytes]]:
    rows = conn.execute(
        select(kept.c.model, kept.c.run, kept.c.hours)
        .where(kept.c.station == station, kept.c.run >= since, kept.c.model.not_in(_WITHOUT_WIND))
        .order_by(kept.c.model, kept.c.run)
    )
    return [(row.model, row.run, row.hours) for row in rows]


def prune(conn: Connection, before: int) -> int:
    return conn.execute(delete(kept).where(kept.c.run < before)).rowcount
