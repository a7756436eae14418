"""What an evaluation reads and writes, for many alarms at a time."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    case,
    delete,
    func,
    or_,
    select,
    true,
    type_coerce,
    update,
)

from quartet.kernel.batches import in_batches
from quartet.kernel.db import Text
from quartet.wind.accounts.tables import users
from quartet.wind.alerts.sameness import GONE_RUNS, Remembered, Told
from quartet.wind.alerts.tables import alarm_messages as messages
from quartet.wind.alerts.tables import alarm_runs as runs
from quartet.wind.alerts.tables import alarm_windows as windows
from quartet.wind.alerts.tables import alarms
from quartet.wind.alerts.types import Evaluated, Rule
from quartet.wind.rows import insert_into, put
from quartet.wind.spots.tables import spots


class Placed(NamedTuple):
    alarm: int
    lat: float
    lon: float


class Watched(NamedTuple):
    """An alarm as an evaluation needs it; `channels` are those it tells on."""

    alarm: int
    lat: float
    lon: float
    revision: int
    changed: bool
    channels: tuple[str, ...]
    rule: Rule


def placed(conn: Connection, model: str, *, changed: bool) -> list[Placed]:
    """Where the alarms of a model are; with `changed` only those not looked at since."""
    found = _watching(select(alarms.c.spot, spots.c.lat, spots.c.lon)).where(
        alarms.c.chosen == model, alarms.c.seen_revision < alarms.c.revision if changed else true()
    )
    return [Placed(*row) for row in conn.execute(found)]


def watched(conn: Connection, ids: Sequence[int]) -> list[Watched]:
    chosen = _watching(select(*_WATCHED)).where(alarms.c.spot.in_(ids))
    return [_watched(*row) for row in conn.execute(chosen).all()]


def _watching(query: "Select[Any]") -> "Select[Any]":
    joined = query.join(spots, spots.c.id == alarms.c.spot).join(
        users, users.c.id == spots.c.user_id
    )
    return joined.where(alarms.c.enabled == true(), users.c.disabled != true())


def held(conn: Connection, ids: Sequence[int]) -> dict[int, int]:
    """Revisions of the alarms that are still there; until the end nobody else evaluates them."""
    rows = conn.execute(
        select(alarms.c.spot, alarms.c.revision)
        .where(alarms.c.spot.in_(ids), alarms.c.enabled == true())
        .order_by(alarms.c.spot)
        .with_for_update()
    )
    return {row.spot: row.revision for row in rows}


def remembered(conn: Connection, ids: Sequence[int], since: int) -> dict[int, list[Remembered]]:
    """Windows that end after a time, by alarm; also those that only keep a name taken."""
    found: dict[int, list[Remembered]] = {}
    rows = conn.execute(
        select(windows)
        .where(windows.c.alarm.in_(ids), or_(windows.c.end >= since, windows.c.began >= since))
        .order_by(windows.c.alarm, windows.c.began)
    )
    for alarm, *values in rows:
        found.setdefault(alarm, []).append(Remembered(*values))
    return found


def remember(conn: Connection, changed: Iterable[tuple[int, Remembered]]) -> None:
    put(conn, windows, [{"alarm": alarm, **each._asdict()} for alarm, each in changed])


def leave(conn: Connection, alarm: int) -> None:
    """Its spot is somewhere else now: what was found before is gone, what waits is not told.

    The windows stay, so that the history does and the next ones have names of their own.
    """
    mine = windows.c.alarm == alarm
    conn.execute(update(windows).where(mine).values(misses=GONE_RUNS, missing_since=0))
    waiting = and_(messages.c.alarm == alarm, messages.c.state == "waiting")
    conn.execute(delete(messages).where(waiting, messages.c.sent_at.is_(None)))
    conn.execute(update(messages).where(waiting).values(state="sent"))


class News(NamedTuple):
    """A window to tell: whose it is, where, and what is said about it."""

    alarm: int
    channels: Sequence[str]
    told: Told


def tell(conn: Connection, news: Sequence[News], model: str, run: int, now: int) -> None:
    """What is there already stays: nothing is told twice."""
    rows = [
        {
            "alarm": each.alarm,
            "began": each.told.window.began,
            "turn": each.told.window.turn,
            "channel": channel,
            "state": "waiting",
            "made_at": now,
            "due_at": now,
            "expires_at": each.told.forecast.start,
            "tried": 0,
            "model": model,
            "run": run,
            **each.told.forecast._asdict(),
        }
        for each in news
        for channel in each.channels
    ]
    statement = insert_into(conn, messages).on_conflict_do_nothing()
    for some in in_batches(rows):
        conn.execute(statement, some)


def correct(conn: Connection, moved: Sequence[tuple[int, Told]], model: str, run: int) -> None:
    """What has not been told yet is told as it is forecast now."""
    same = and_(
        messages.c.alarm == bindparam("in_alarm"),
        messages.c.began == bindparam("in_began"),
        messages.c.turn == bindparam("in_turn"),
        messages.c.state == "waiting",
        messages.c.sent_at.is_(None),
    )
    values: dict[str, Any] = {name: bindparam(f"new_{name}") for name in _FORECAST}
    # Quiet hours may hold it back until the window has begun, or is over as it looks now.
    values["expires_at"] = case(
        (messages.c.due_at >= bindparam("new_end"), messages.c.due_at),
        (messages.c.due_at >= bindparam("new_start"), bindparam("new_end")),
        else_=bindparam("new_start"),
    )
    rows = [
        {
            "in_alarm": alarm,
            "in_began": told.window.began,
            "in_turn": told.window.turn,
            "new_model": model,
            "new_run": run,
            **{f"new_{name}": value for name, value in told.forecast._asdict().items()},
        }
        for alarm, told in moved
    ]
    if rows:
        conn.execute(update(messages).where(same).values(values), rows)


def waiting_of(conn: Connection, ids: Sequence[int]) -> set[tuple[int, int]]:
    """Windows of these alarms about which something has yet to be said."""
    rows = conn.execute(
        select(messages.c.alarm, messages.c.began).where(
            messages.c.state == "waiting", messages.c.alarm.in_(ids)
        )
    )
    return {(row.alarm, row.began) for row in rows}


def looked_at(conn: Connection, revisions: Mapping[int, int]) -> None:
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
    """All alarms, and those that are on."""
    enabled = func.count().filter(alarms.c.enabled == true())
    row = conn.execute(select(func.count(), enabled).select_from(alarms)).one()
    return row[0], row[1]


_FORECAST = (
    "start",
    "end",
    "wind_low",
    "wind_high",
    "gust",
    "direction",
    "model",
    "run",
)
# Sectors as text: many alarms have the same, and decoding them is half of the work.
_WATCHED: tuple[ColumnElement[Any], ...] = (
    alarms.c.spot,
    spots.c.lat,
    spots.c.lon,
    alarms.c.revision,
    alarms.c.seen_revision,
    alarms.c.push,
    alarms.c.email,
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
)


def _watched(
    alarm: int,
    lat: float,
    lon: float,
    revision: int,
    seen: int,
    push: bool,
    email: bool,
    sectors: str,
    low: float,
    high: float | None,
    gust: float | None,
    *rest: Any,
) -> Watched:
    rule = Rule(low, high, gust, _sectors(sectors), *rest)
    channels = _CHANNELS[push, email]
    return Watched(alarm, lat, lon, revision, seen < revision, channels, rule)


_CHANNELS = {
    (True, True): ("push", "email"),
    (True, False): ("push",),
    (False, True): ("email",),
    (False, False): (),
}


@lru_cache(maxsize=4096)
def _sectors(text: str) -> tuple[tuple[int, int], ...]:
    return tuple((sector["from"], sector["to"]) for sector in msgspec.json.decode(text))
