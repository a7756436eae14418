import msgspec
from sqlalchemy import Connection, delete, insert, select

from quartet.wind.gauges.tables import gauges
from quartet.wind.gauges.types import Gauge


def everything(conn: Connection) -> list[Gauge]:
    return [msgspec.convert(row.gauge, Gauge) for row in conn.execute(select(gauges.c.gauge))]


def replace(conn: Connection, found: list[Gauge]) -> None:
    conn.execute(delete(gauges))
    rows = [{"id": each.id, "gauge": msgspec.to_builtins(each)} for each in found]
    conn.execute(insert(gauges), rows)
