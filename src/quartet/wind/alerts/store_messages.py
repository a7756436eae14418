"""Queries on the message queue; one process claims each message before sending it."""

from typing import Any, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, and_, case, exists, func, or_, select, update

from quartet.kernel.errors import Problem
from quartet.wind.accounts.tables import users
from quartet.wind.alerts.store_forecast import forecast_of
from quartet.wind.alerts.tables import alarm_messages as messages
from quartet.wind.alerts.tables import alarm_runs as runs
from quartet.wind.alerts.tables import alarm_settings as settings
from quartet.wind.alerts.tables import alarm_windows as windows
from quartet.wind.alerts.tables import alarms
from quartet.wind.alerts.types import (
    AlertWindow,
    Channel,
    DailyDigest,
    MessageKind,
    State,
)
from quartet.wind.blend.types import BEST
from quartet.wind.spots.tables import spots
from quartet.wind.units import Units, units_of

LONGEST_WAIT = 25 * 3600
LONGEST_EVALUATION = 900


class MessageKey(NamedTuple):
    """The turn is negative if the message says that the window was withdrawn."""

    alarm: int
    began: int
    turn: int
    channel: Channel

    @property
    def name(self) -> str:
        """Return an id that is the same for all attempts and channels."""
        if self.began < 0:
            return f"{self.alarm}-{-self.began}-measured"
        suffix = "-withdrawn" if self.turn < 0 else ""
        return f"{self.alarm}-{self.began}-{abs(self.turn)}{suffix}"


class DueWindow(NamedTuple):
    """A window that a user must be notified about, with everything needed to do so.

    `left_over` are browsers or addresses not yet reached. Windows with the same `bundle` were sent
    before in one message.
    """

    key: MessageKey
    kind: MessageKind
    bundle: str | None
    user: int
    language: str
    units: Units
    email: str | None
    wanted: bool
    spot: str
    timezone: str
    quiet: tuple[int, int] | None
    digest: DailyDigest | None
    window: AlertWindow
    model: str
    made_at: int
    tried: int
    expires_at: int
    sent_at: int | None
    left_over: list[int] | None


def due(conn: Connection, channel: Channel, now: int, most: int) -> list[DueWindow]:
    """Return everything that is due for the users who have waited longest, at most `most` users.

    The messages of a run wait until all alerts are evaluated, so that each user gets one message.
    """
    # Delays are at most a day; a later due time was written with a wrong clock.
    now_or_never = or_(messages.c.due_at <= now, messages.c.due_at > now + LONGEST_WAIT)
    is_due = and_(messages.c.state == "waiting", messages.c.channel == channel, now_or_never)
    waiting_longest = (
        select(spots.c.user_id)
        .select_from(messages)
        .join(windows, _current())
        .join(spots, spots.c.id == messages.c.alarm)
        .where(is_due, _complete(now))
        .group_by(spots.c.user_id)
        .order_by(func.min(messages.c.due_at))
        .limit(most)
        .subquery()
    )
    rows = conn.execute(
        select(
            messages,
            alarms.c.enabled,
            alarms.c.push,
            alarms.c.email.label("mails"),
            alarms.c.messenger,
            alarms.c.quiet_from,
            alarms.c.quiet_to,
            spots.c.name,
            spots.c.timezone,
            spots.c.user_id,
            users.c.language,
            users.c.units,
            users.c.email,
            users.c.email_confirmed,
            users.c.disabled,
            settings.c.digest_hour,
            settings.c.digest_timezone,
        )
        .join(windows, _current())
        .join(alarms, alarms.c.spot == messages.c.alarm)
        .join(spots, spots.c.id == messages.c.alarm)
        .join(users, users.c.id == spots.c.user_id)
        .outerjoin(settings, settings.c.user_id == users.c.id)
        .where(is_due, _complete(now), spots.c.user_id.in_(select(waiting_longest.c.user_id)))
        .order_by(messages.c.due_at)
    )
    return [_due(row) for row in rows]


def _current() -> ColumnElement[bool]:
    """Join the window of a message, unless the message is out of date.

    A window that is missing from the newest run may return before it is announced; for a window
    that was gone and returned, only the messages of its current turn count.
    """
    is_withdrawn = messages.c.turn < 0
    return and_(
        windows.c.alarm == messages.c.alarm,
        windows.c.began == messages.c.began,
        windows.c.turn == func.abs(messages.c.turn),
        case((is_withdrawn, windows.c.misses > 0), else_=windows.c.misses == 0),
    )


def _complete(now: int) -> ColumnElement[bool]:
    """Return whether all alerts have been evaluated for the run of a message."""
    # Alerts on Best are evaluated with the runs of the model that is chosen for their spot.
    own = alarms.alias()
    chosen = select(own.c.chosen).where(own.c.spot == messages.c.alarm).correlate(messages)
    model = case((messages.c.model == BEST, chosen.scalar_subquery()), else_=messages.c.model)
    evaluated = exists().where(runs.c.model == model, runs.c.run >= messages.c.run)
    # Another model may have been chosen since, whose run is older.
    late = messages.c.made_at <= now - LONGEST_EVALUATION
    return or_(messages.c.kind == "measured", evaluated, late)


def unfinished(conn: Connection, channel: Channel) -> bool:
    """Return whether any message is waiting or being sent."""
    open_ones = messages.c.state.in_(("waiting", "sending"))
    found = select(messages.c.alarm).where(open_ones, messages.c.channel == channel).limit(1)
    return conn.execute(found).first() is not None


def claim(conn: Connection, key: MessageKey, bundle: str, now: int) -> bool:
    """Claim a message; return False if another process was faster."""
    taken = update(messages).where(_matches(key), messages.c.state == "waiting")
    values = {
        "state": "sending",
        "claimed_at": now,
        "tried": messages.c.tried + 1,
        "bundle": bundle,
    }
    return conn.execute(taken.values(values)).rowcount == 1


def settle(conn: Connection, key: MessageKey, state: State, **values: Any) -> None:
    """Record the outcome of a claimed message."""
    mine = update(messages).where(_matches(key), messages.c.state == "sending")
    conn.execute(mine.values(state=state, claimed_at=None, **values))


def postpone(conn: Connection, key: MessageKey, due_at: int, expires_at: int) -> None:
    waiting = update(messages).where(_matches(key), messages.c.state == "waiting")
    conn.execute(waiting.values(due_at=due_at, expires_at=expires_at))


def drop(conn: Connection, key: MessageKey, error: Problem) -> None:
    waiting = update(messages).where(_matches(key), messages.c.state == "waiting")
    conn.execute(waiting.values(state="dropped", error=msgspec.to_builtins(error)))


def release(conn: Connection, now: int, lease: int) -> int:
    """Release the claims of dead processes, even if the clock was set back since."""
    late = or_(messages.c.claimed_at < now - lease, messages.c.claimed_at > now + lease)
    lost = update(messages).where(messages.c.state == "sending", late)
    return conn.execute(lost.values(state="waiting", claimed_at=None)).rowcount


def expire(conn: Connection, now: int) -> None:
    """Mark expired messages: sent if partly delivered, failed if tried, otherwise dropped.

    A message that waited beyond the start of its window was held back by quiet hours.
    """
    over = update(messages).where(messages.c.state == "waiting", messages.c.expires_at <= now)
    conn.execute(over.where(messages.c.sent_at.is_not(None)).values(state="sent"))
    conn.execute(over.where(messages.c.tried > 0).values(state="failed"))
    quiet = over.where(messages.c.expires_at > messages.c.start)
    conn.execute(quiet.values(state="dropped", error=msgspec.to_builtins(Problem("quiet_hours"))))
    conn.execute(over.values(state="dropped", error=msgspec.to_builtins(Problem("too_late"))))


def _matches(key: MessageKey) -> ColumnElement[bool]:
    return and_(
        messages.c.alarm == key.alarm,
        messages.c.began == key.began,
        messages.c.turn == key.turn,
        messages.c.channel == key.channel,
    )


def key_of(row: Row[Any]) -> MessageKey:
    return MessageKey(row.alarm, row.began, row.turn, row.channel)


def _due(row: Row[Any]) -> DueWindow:
    on = {"push": row.push, "email": row.mails, "messenger": row.messenger}[row.channel]
    return DueWindow(
        key_of(row),
        row.kind,
        row.bundle,
        row.user_id,
        row.language,
        units_of(row.units),
        row.email if row.email_confirmed else None,
        bool(row.enabled and on and not row.disabled),
        row.name,
        row.timezone,
        None if row.quiet_from is None else (row.quiet_from, row.quiet_to),
        None if row.digest_hour is None else DailyDigest(row.digest_hour, row.digest_timezone),
        forecast_of(row),
        row.model,
        row.made_at,
        row.tried,
        row.expires_at,
        row.sent_at,
        row.left_over,
    )
