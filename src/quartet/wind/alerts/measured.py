"""Alerts on measured wind: a message as soon as the station next to a spot reports it."""

import logging
import time as clocks
from collections.abc import Callable
from typing import NamedTuple, Protocol

from quartet.kernel.db import Database, Tx
from quartet.wind.alerts import store_announcements, store_measured, store_windows
from quartet.wind.alerts.local_time import HOUR, hours_of_week
from quartet.wind.alerts.store_announcements import Announcement
from quartet.wind.alerts.store_measured import MeasuredAlert, MeasuredState
from quartet.wind.alerts.types import NO_DIRECTION, AlertWindow, Rule
from quartet.wind.alerts.window_dedup import KnownWindow, WindowUpdate
from quartet.wind.observations import store as observations
from quartet.wind.observations.types import Measurement
from quartet.wind.places.coordinates import Coordinates
from quartet.wind.stations.station_index import NearStation
from quartet.wind.stations.types import KnownStation

log = logging.getLogger("quartet.wind.alerts")

# Older measurements say nothing about the current wind.
FRESH_SECONDS = HOUR
# A lull shorter than this does not end the wind; a message follows only after a longer one.
CALM_SECONDS = HOUR
# Without measurements for this long, the wind is assumed to have ended.
GAP_SECONDS = 6 * HOUR


class StationFinder(Protocol):
    def nearest(self, place: Coordinates) -> NearStation | None: ...

    async def by_ids(self, ids: list[int]) -> dict[int, KnownStation]: ...


class AlertMeasurement(NamedTuple):
    alert: MeasuredAlert
    station: int
    measurement: Measurement
    state: MeasuredState

    @property
    def begins(self) -> bool:
        return self.state.blowing and not was_blowing(self.alert.state, self.measurement.time)


class MeasuredAlerts:
    def __init__(
        self, db: Database, stations: StationFinder, clock: Callable[[], float] = clocks.time
    ) -> None:
        self._db, self._stations, self._clock = db, stations, clock

    async def check(self) -> int:
        """Compare the newest measurements with all alerts; return how many messages follow."""
        now = int(self._clock())
        alerts = await self._db.read(store_measured.alerts)
        if not alerts:
            return 0
        latest = dict(await self._db.read(observations.latest, now - FRESH_SECONDS))
        changed = [
            found
            for each in alerts
            if (found := self._compared(each, latest)) is not None and found.state != each.state
        ]
        begun = [each for each in changed if each.begins]
        names = await self._stations.by_ids([each.station for each in begun]) if begun else {}
        if changed:
            await self._db.write(_save, changed, begun, names, now)
        for each in begun:
            log.info(
                "alert %d: %.0f kn measured at station %d",
                each.alert.watched.alarm,
                each.measurement.wind,
                each.station,
            )
        return len(begun)

    def _compared(
        self, alert: MeasuredAlert, latest: dict[int, Measurement]
    ) -> AlertMeasurement | None:
        station = alert.station
        if station is None:
            near = self._stations.nearest(Coordinates(alert.watched.lat, alert.watched.lon))
            station = near.station if near else None
        measurement = latest.get(station) if station is not None else None
        if station is None or measurement is None or measurement.time <= alert.state.seen_at:
            return None
        state = next_state(alert.state, is_met(alert.watched.rule, measurement), measurement.time)
        return AlertMeasurement(alert, station, measurement, state)


def was_blowing(state: MeasuredState, time: int) -> bool:
    return state.blowing and time - state.seen_at <= GAP_SECONDS


def next_state(state: MeasuredState, met: bool, time: int) -> MeasuredState:
    if met or not was_blowing(state, time):
        return MeasuredState(met, None, time)
    calm_since = time if state.calm_since is None else state.calm_since
    return MeasuredState(time - calm_since < CALM_SECONDS, calm_since, time)


def is_met(rule: Rule, measured: Measurement) -> bool:
    """Return whether a measurement meets the conditions, in tenths of a knot like forecasts."""
    hour = hours_of_week(rule.timezone, measured.time, 1)[0]
    return (
        _tenths(measured.wind) >= _tenths(rule.wind_min)
        and (rule.wind_max is None or _tenths(measured.wind) <= _tenths(rule.wind_max))
        and (
            rule.gust_max is None
            or measured.gust is None
            or _tenths(measured.gust) <= _tenths(rule.gust_max)
        )
        and _has_direction(rule, measured.direction)
        and bool(rule.weekdays >> hour // 24 & 1)
        and _is_in_hours(rule, hour % 24)
    )


def _tenths(knots: float) -> int:
    return round(knots * 10)


def _has_direction(rule: Rule, direction: int | None) -> bool:
    if not rule.sectors:
        return True
    return direction is not None and any(
        last - first == 360 or (direction - first) % 360 <= (last - first) % 360
        for first, last in rule.sectors
    )


def _is_in_hours(rule: Rule, hour: int) -> bool:
    start, end = rule.hour_from, rule.hour_to
    return start <= hour < end if start < end else hour >= start or hour < end


def _save(
    tx: Tx,
    changed: list[AlertMeasurement],
    begun: list[AlertMeasurement],
    names: dict[int, KnownStation],
    now: int,
) -> None:
    # Skip alerts that were removed in the meantime.
    known = store_windows.lock_alerts(tx.conn, [each.alert.watched.alarm for each in changed])
    store_measured.save(
        tx.conn,
        {
            each.alert.watched.alarm: each.state
            for each in changed
            if each.alert.watched.alarm in known
        },
    )
    for each in begun:
        alarm, measured = each.alert.watched.alarm, each.measurement
        if alarm not in known:
            continue
        # Negative, so that the id never equals that of a forecast window.
        window = KnownWindow(-measured.time, measured.time, now + HOUR)
        shown = AlertWindow(
            measured.time,
            now + HOUR,
            measured.wind,
            measured.wind,
            measured.gust,
            NO_DIRECTION if measured.direction is None else measured.direction,
        )
        store_windows.save_windows(tx.conn, [(alarm, window)])
        announcement = Announcement(alarm, each.alert.watched.channels, WindowUpdate(window, shown))
        name = names[each.station].name if each.station in names else ""
        store_announcements.add_messages(
            tx.conn, [announcement], name, measured.time, now, kind="measured"
        )
