from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, Row, bindparam, delete, func, select, update

from quartet.wind.accounts.tables import users
from quartet.wind.alerts.tables import alarm_messages as messages
from quartet.wind.alerts.tables import alarms
from quartet.wind.alerts.types import Alarm, AlarmChange, ChosenChannels, HourSpan
from quartet.wind.spots.tables import spots
from quartet.wind.spots.types import Sector
from quartet.wind.store_upsert import put


class AlertModel(NamedTuple):
    """An alert with the model it uses; `chosen` may have to be updated."""

    alarm: int
    lat: float
    lon: float
    lead_hours: int
    model: str | None
    chosen: str | None


def of_user(conn: Connection, user: int) -> list[Alarm]:
    last = (
        select(messages.c.alarm, func.max(messages.c.sent_at).label("last_sent"))
        .group_by(messages.c.alarm)
        .join(spots, spots.c.id == messages.c.alarm)
        .where(spots.c.user_id == user)
        .subquery()
    )
    mine = (
        select(alarms, last.c.last_sent)
        .join(spots, spots.c.id == alarms.c.spot)
        .outerjoin(last, last.c.alarm == alarms.c.spot)
        .where(spots.c.user_id == user)
        .order_by(spots.c.position, spots.c.id)
    )
    return [_alarm(row) for row in conn.execute(mine)]


def save(conn: Connection, spot: int, change: AlarmChange, chosen: str | None) -> None:
    """Save the alert and mark it as changed, so that it is evaluated again."""
    old = conn.execute(
        select(alarms.c.revision, alarms.c.seen_revision).where(alarms.c.spot == spot)
    ).first()
    revision, seen = (old.revision + 1, old.seen_revision) if old else (1, 0)
    values = {"spot": spot, "chosen": chosen, "revision": revision, "seen_revision": seen}
    put(conn, alarms, [values | _values(change)])


def is_own(conn: Connection, user: int, spot: int) -> bool:
    """Return whether the spot belongs to the user, and lock it."""
    own = select(spots.c.id).where(spots.c.id == spot, spots.c.user_id == user)
    return conn.execute(own.with_for_update()).first() is not None


def remove(conn: Connection, spot: int) -> bool:
    return conn.execute(delete(alarms).where(alarms.c.spot == spot)).rowcount > 0


def stop_emails(conn: Connection, spot: int | None, user: int) -> None:
    """Stop the mails of one alert, if the spot still belongs to the user, or of all alerts."""
    own = select(spots.c.id).where(spots.c.user_id == user)
    if spot is not None:
        own = own.where(spots.c.id == spot)
    conn.execute(update(alarms).where(alarms.c.spot.in_(own)).values(email=False))


_ALERT_MODELS = select(
    alarms.c.spot,
    spots.c.lat,
    spots.c.lon,
    alarms.c.lead_hours,
    alarms.c.model,
    alarms.c.chosen,
).join(spots, spots.c.id == alarms.c.spot)


def alert_models(conn: Connection, after: int, most: int) -> list[AlertModel]:
    """Return the next alerts by id; neighbouring ids are often close on the map."""
    some = _ALERT_MODELS.where(alarms.c.spot > after).order_by(alarms.c.spot).limit(most)
    return [AlertModel(*row) for row in conn.execute(some)]


def alert_model_of(conn: Connection, spot: int) -> AlertModel | None:
    row = conn.execute(_ALERT_MODELS.where(alarms.c.spot == spot)).first()
    return AlertModel(*row) if row else None


def choose(conn: Connection, chosen: Sequence[tuple[int, str | None]]) -> None:
    """Set the models and mark the alerts as changed, to evaluate the current run for them."""
    statement = update(alarms).where(alarms.c.spot == bindparam("alarm"))
    rows = [{"alarm": alarm, "found": model} for alarm, model in chosen]
    changed = statement.values(chosen=bindparam("found"), revision=alarms.c.revision + 1)
    conn.execute(changed, rows)


class Recipient(NamedTuple):
    """Recipient of messages."""

    user: int
    language: str
    email: str | None


def recipient(conn: Connection, user: int) -> Recipient | None:
    row = conn.execute(
        select(users.c.id, users.c.language, users.c.email, users.c.email_confirmed).where(
            users.c.id == user
        )
    ).first()
    return (
        Recipient(row.id, row.language, row.email if row.email_confirmed else None) if row else None
    )


def _values(change: AlarmChange) -> dict[str, Any]:
    quiet = change.quiet
    return {
        "enabled": change.enabled,
        "wind_min": change.wind_min,
        "wind_max": change.wind_max,
        "gust_max": change.gust_max,
        "directions": msgspec.to_builtins(change.directions),
        "hour_from": change.hours.start,
        "hour_to": change.hours.end,
        "weekdays": bits_of(change.weekdays),
        "lead_hours": change.lead_hours,
        "min_hours": change.min_hours,
        "model": change.model,
        "push": change.channels.push,
        "email": change.channels.email,
        "messenger": change.channels.messenger,
        "quiet_from": quiet.start if quiet else None,
        "quiet_to": quiet.end if quiet else None,
        "measured": change.measured,
        "rain_max": change.rain_max,
        "temperature_min": change.temperature_min,
        "wave_max": change.wave_max,
        "chance_min": change.chance_min,
    }


def bits_of(weekdays: Sequence[int]) -> int:
    return sum(1 << day - 1 for day in set(weekdays))


def _alarm(row: Row[Any]) -> Alarm:
    quiet = None if row.quiet_from is None else HourSpan(row.quiet_from, row.quiet_to)
    return Alarm(
        row.enabled,
        row.wind_min,
        HourSpan(row.hour_from, row.hour_to),
        [day for day in range(1, 8) if row.weekdays >> day - 1 & 1],
        row.lead_hours,
        row.min_hours,
        ChosenChannels(row.push, row.email, row.messenger),
        row.wind_max,
        row.gust_max,
        None if row.directions is None else msgspec.convert(row.directions, list[Sector]),
        row.model,
        quiet,
        row.measured,
        row.rain_max,
        row.temperature_min,
        row.wave_max,
        row.chance_min,
        favorite=row.spot,
        follows=row.chosen,
        last_sent=row.last_sent,
    )
