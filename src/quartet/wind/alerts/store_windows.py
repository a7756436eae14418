"""Queries of the evaluation, for many alerts at a time."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import compress, product
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    delete,
    func,
    or_,
    select,
    true,
    type_coerce,
    update,
)

from quartet.kernel.db import Text
from quartet.wind.accounts.tables import users
from quartet.wind.alerts.tables import alarm_messages as messages
from quartet.wind.alerts.tables import alarm_runs as runs
from quartet.wind.alerts.tables import alarm_windows as windows
from quartet.wind.alerts.tables import alarms
from quartet.wind.alerts.types import Evaluated, Rule
from quartet.wind.alerts.window_dedup import GONE_RUNS, KnownWindow
from quartet.wind.spots.tables import spots
from quartet.wind.store_upsert import put


class AlertPlace(NamedTuple):
    alarm: int
    lat: float
    lon: float


class WatchedAlert(NamedTuple):
    """An alert as the evaluation needs it; `channels` are the enabled ones."""

    alarm: int
    lat: float
    lon: float
    revision: int
    changed: bool
    channels: tuple[str, ...]
    rule: Rule
    # Whether it follows Best instead of one model.
    best: bool = False


def alert_places(conn: Connection, model: str, *, changed: bool) -> list[AlertPlace]:
    """Return the places of a model's alerts; with `changed` only alerts not evaluated since."""
    found = _watching(select(alarms.c.spot, spots.c.lat, spots.c.lon)).where(
        alarms.c.chosen == model, alarms.c.seen_revision < alarms.c.revision if changed else true()
    )
    return [AlertPlace(*row) for row in conn.execute(found)]


def watched(conn: Connection, ids: Sequence[int]) -> list[WatchedAlert]:
    chosen = _watching(select(*_WATCHED)).where(alarms.c.spot.in_(ids))
    return [_watched(*row) for row in conn.execute(chosen).all()]


def _watching(query: "Select[Any]") -> "Select[Any]":
    joined = query.join(spots, spots.c.id == alarms.c.spot).join(
        users, users.c.id == spots.c.user_id
    )
    return joined.where(alarms.c.enabled == true(), users.c.disabled != true())


def lock_alerts(conn: Connection, ids: Sequence[int]) -> dict[int, int]:
    """Lock the alerts and return their revisions."""
    rows = conn.execute(
        select(alarms.c.spot, alarms.c.revision)
        .where(alarms.c.spot.in_(ids), alarms.c.enabled == true())
        .order_by(alarms.c.spot)
        .with_for_update()
    )
    return {row.spot: row.revision for row in rows}


def known_windows(conn: Connection, ids: Sequence[int], since: int) -> dict[int, list[KnownWindow]]:
    """Return windows ending after `since` by alert, and later ones whose id is still taken."""
    found: dict[int, list[KnownWindow]] = {}
    rows = conn.execute(
        select(windows)
        .where(
            windows.c.alarm.in_(ids),
            # Not measured wind.
            windows.c.began > 0,
            or_(windows.c.end >= since, windows.c.began >= since),
        )
        .order_by(windows.c.alarm, windows.c.began)
    )
    for alarm, *values in rows:
        found.setdefault(alarm, []).append(KnownWindow(*values))
    return found


def save_windows(conn: Connection, changed: Iterable[tuple[int, KnownWindow]]) -> None:
    put(conn, windows, [{"alarm": alarm, **each._asdict()} for alarm, each in changed])


def forget_windows(conn: Connection, alarm: int) -> None:
    """Mark all windows as gone and cancel waiting messages, because the spot was moved.

    The windows are kept for the history and so that new windows get different ids.
    """
    mine = windows.c.alarm == alarm
    conn.execute(update(windows).where(mine).values(misses=GONE_RUNS, missing_since=0))
    waiting = and_(messages.c.alarm == alarm, messages.c.state == "waiting")
    conn.execute(delete(messages).where(waiting, messages.c.sent_at.is_(None)))
    conn.execute(update(messages).where(waiting).values(state="sent"))


def mark_evaluated(conn: Connection, revisions: Mapping[int, int]) -> None:
    statement = update(alarms).where(alarms.c.spot == bindparam("in_alarm"))
    rows = [{"in_alarm": alarm, "new": revision} for alarm, revision in revisions.items()]
    if rows:
        conn.execute(statement.values(seen_revision=bindparam("new")), rows)


def evaluated(conn: Connection) -> dict[str, Evaluated]:
    return {row.model: Evaluated(*row) for row in conn.execute(select(runs))}


def put_evaluated(conn: Connection, done: Evaluated) -> None:
    put(conn, runs, [{name: getattr(done, name) for name in done.__struct_fields__}])


def models_with_changes(conn: Connection) -> Collection[str]:
    fresh = select(alarms.c.chosen).where(
        alarms.c.seen_revision < alarms.c.revision,
        alarms.c.chosen.is_not(None),
        alarms.c.enabled == true(),
    )
    return set(conn.execute(fresh.distinct()).scalars())


def prune(conn: Connection, before: int) -> int:
    return conn.execute(delete(windows).where(windows.c.end < before)).rowcount


def count(conn: Connection) -> tuple[int, int]:
    """Return the number of alerts and of enabled alerts."""
    enabled = func.count().filter(alarms.c.enabled == true())
    row = conn.execute(select(func.count(), enabled).select_from(alarms)).one()
    return row[0], row[1]


# Sectors as text: many alerts share the same, and decoding JSON would take half of the time.
_WATCHED: tuple[ColumnElement[Any], ...] = (
    alarms.c.spot,
    spots.c.lat,
    spots.c.lon,
    alarms.c.revision,
    alarms.c.seen_revision,
    alarms.c.push,
    alarms.c.email,
    alarms.c.messenger,
    alarms.c.model,
    type_coerce(func.coalesce(alarms.c.directions, spots.c.directions), Text),
    alarms.c.wind_min,
    alarms.c.wind_max,
    alarms.c.gust_max,
    alarms.c.hour_from,
    alarms.c.hour_to,
    alarms.c.weekdays,
    alarms.c.lead_hours,
    alarms.c.min_hours,
    spots.c.timezone,
    alarms.c.rain_max,
    alarms.c.temperature_min,
    alarms.c.wave_max,
    alarms.c.chance_min,
)


def _watched(
    alarm: int,
    lat: float,
    lon: float,
    revision: int,
    seen: int,
    push: bool,
    email: bool,
    messenger: bool,
    model: str | None,
    sectors: str,
    low: float,
    high: float | None,
    gust: float | None,
    *rest: Any,
) -> WatchedAlert:
    rule = Rule(low, high, gust, _sectors(sectors), *rest)
    channels = _CHANNELS[push, email, messenger]
    return WatchedAlert(
        alarm, lat, lon, revision, seen < revision, channels, rule, best=model is None
    )


_CHANNELS = {
    flags: tuple(compress(("push", "email", "messenger"), flags))
    for flags in product((False, True), repeat=3)
}


@lru_cache(maxsize=4096)
def _sectors(text: str) -> tuple[tuple[int, int], ...]:
    return tuple((sector["from"], sector["to"]) for sector in msgspec.json.decode(text))
