"""Queries of alerts on measured wind."""

from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import Connection, select, true

from quartet.kernel.batches import in_batches
from quartet.wind.alerts import store_windows
from quartet.wind.alerts.store_windows import WatchedAlert
from quartet.wind.alerts.tables import alarm_measured as measured
from quartet.wind.alerts.tables import alarms
from quartet.wind.spots.tables import spots
from quartet.wind.stations.tables import stations
from quartet.wind.store_upsert import put


class MeasuredState(NamedTuple):
    """Whether it was blowing at the measurement of `seen_at`, and since when the wind pauses."""

    blowing: bool = False
    calm_since: int | None = None
    seen_at: int = 0


class MeasuredAlert(NamedTuple):
    """`station` is the one chosen for the spot, if any."""

    watched: WatchedAlert
    station: int | None
    state: MeasuredState


def alerts(conn: Connection) -> list[MeasuredAlert]:
    rows = conn.execute(
        select(
            alarms.c.spot,
            stations.c.id.label("station"),
            measured.c.blowing,
            measured.c.calm_since,
            measured.c.seen_at,
        )
        .join(spots, spots.c.id == alarms.c.spot)
        .outerjoin(stations, stations.c.slug == spots.c.station)
        .outerjoin(measured, measured.c.alarm == alarms.c.spot)
        .where(alarms.c.measured == true(), alarms.c.enabled == true())
    ).all()
    by_id = {row.spot: row for row in rows}
    found = []
    for some in in_batches(list(by_id)):
        for each in store_windows.watched(conn, some):
            row = by_id[each.alarm]
            state = MeasuredState(bool(row.blowing), row.calm_since, row.seen_at or 0)
            found.append(MeasuredAlert(each, row.station, state))
    return found


def save(conn: Connection, states: Mapping[int, MeasuredState]) -> None:
    put(conn, measured, [{"alarm": alarm, **each._asdict()} for alarm, each in states.items()])
