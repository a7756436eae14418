from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Column, Connection, Row, bindparam, delete, func, insert, select, update

from quartet.wind.stations.tables import lists, stations
from quartet.wind.stations.types import Codes, KnownStation, Position

_COLUMNS: tuple[Column[Any], ...] = (
    stations.c.name,
    stations.c.lat,
    stations.c.lon,
    stations.c.icao,
    stations.c.wmo,
    stations.c.dwd,
    stations.c.country,
    stations.c.timezone,
    stations.c.city,
    stations.c.region,
    stations.c.elevation,
    stations.c.slug,
    stations.c.id,
)
# Rows read at a time; all 17,000 at once would take several megabytes.
_AT_ONCE = 1000


def count(conn: Connection) -> int:
    return conn.execute(select(func.count()).select_from(stations)).scalar_one()


def everything(conn: Connection) -> list[KnownStation]:
    return [_known(row) for row in conn.execute(select(*_COLUMNS).order_by(stations.c.id))]


def positions(conn: Connection) -> Iterator[Position]:
    """Yield latitude, longitude and id of all stations."""
    statement = select(stations.c.lat, stations.c.lon, stations.c.id)
    rows = conn.execute(statement.execution_options(yield_per=_AT_ONCE))
    return ((lat, lon, number) for lat, lon, number in rows)


def with_dwd_code(conn: Connection) -> list[KnownStation]:
    rows = conn.execute(select(*_COLUMNS).where(stations.c.dwd.is_not(None)))
    return [_known(row) for row in rows]


def with_only_wmo_code(conn: Connection) -> list[KnownStation]:
    """Return the stations with a WMO code, but without one of the DWD."""
    only = stations.c.wmo.is_not(None) & stations.c.dwd.is_(None)
    return [_known(row) for row in conn.execute(select(*_COLUMNS).where(only))]


def ids_by_icao(conn: Connection) -> dict[str, int]:
    statement = select(stations.c.icao, stations.c.id).where(stations.c.icao.is_not(None))
    rows = conn.execute(statement.execution_options(yield_per=_AT_ONCE))
    return {code: number for code, number in rows}


def by_slug(conn: Connection, slug: str) -> KnownStation | None:
    row = conn.execute(select(*_COLUMNS).where(stations.c.slug == slug)).first()
    return _known(row) if row else None


def by_ids(conn: Connection, ids: Sequence[int]) -> dict[int, KnownStation]:
    rows = conn.execute(select(*_COLUMNS).where(stations.c.id.in_(ids)))
    return {row.id: _known(row) for row in rows}


def versions(conn: Connection) -> dict[str, str]:
    return {row.name: row.version for row in conn.execute(select(lists))}


def save(conn: Connection, changed: Iterable[KnownStation], name: str, version: str) -> None:
    """Store the stations of a list and its version."""
    new: list[dict[str, Any]] = []
    old: list[dict[str, Any]] = []
    for station in changed:
        (old if station.id else new).append(_values(station))
    if new:
        conn.execute(insert(stations), new)
    if old:
        same = stations.c.id == bindparam("number")
        codes_to_set: dict[str, Any] = {
            column: bindparam(column) for column in ("icao", "wmo", "dwd")
        }
        codes = [{key: each[key] for key in ("number", *codes_to_set)} for each in old]
        conn.execute(update(stations).where(same).values(codes_to_set), codes)
    conn.execute(delete(lists).where(lists.c.name == name))
    conn.execute(insert(lists), {"name": name, "version": version})


def _values(station: KnownStation) -> dict[str, Any]:
    values = {
        "slug": station.slug,
        "name": station.name,
        "lat": station.lat,
        "lon": station.lon,
        "icao": station.codes.icao,
        "wmo": station.codes.wmo,
        "dwd": station.codes.dwd,
        "country": station.country,
        "timezone": station.timezone,
        "city": station.city,
        "region": station.region,
        "elevation": station.elevation,
    }
    return values | {"number": station.id} if station.id else values


def _known(row: Row[Any]) -> KnownStation:
    return KnownStation(
        row.name,
        row.lat,
        row.lon,
        Codes(row.icao, row.wmo, row.dwd),
        row.country,
        row.timezone,
        row.city,
        row.region,
        row.elevation,
        row.slug,
        row.id,
    )
