"""Queries on the message queue; one process claims each message before sending it."""

from typing import Any, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, and_, func, or_, select, update

from quartet.kernel.errors import Problem
from quartet.wind.accounts.tables import users
from quartet.wind.alerts.tables import alarm_messages as messages
from quartet.wind.alerts.tables import alarm_windows as windows
from quartet.wind.alerts.tables import alarms
from quartet.wind.alerts.types import (
    AlarmWindow,
    AlertWindow,
    Channel,
    Delivered,
    FailedMessage,
    HistoryEntry,
    State,
)
from quartet.wind.spots.tables import spots

LONGEST_WAIT = 25 * 3600


class MessageKey(NamedTuple):
    alarm: int
    began: int
    turn: int
    channel: Channel

    @property
    def name(self) -> str:
        """Return an id that is the same for all attempts and channels."""
        return f"{self.alarm}-{self.began}-{self.turn}"


class DueMessage(NamedTuple):
    """A message with everything needed to send it; `left_over` are browsers not yet reached."""

    key: MessageKey
    user: int
    language: str
    email: str | None
    wanted: bool
    spot: str
    timezone: str
    quiet: tuple[int, int] | None
    window: AlertWindow
    model: str
    tried: int
    expires_at: int
    sent_at: int | None
    left_over: list[int] | None


def due(conn: Connection, channel: Channel, now: int, most: int) -> list[DueMessage]:
    """Return due messages, except for windows missing from the newest run, which may return.

    For a window that was gone and returned, only the messages of its current turn count.
    """
    # Delays are at most a day; a later due time was written with a wrong clock.
    now_or_never = or_(messages.c.due_at <= now, messages.c.due_at > now + LONGEST_WAIT)
    same = and_(
        windows.c.alarm == messages.c.alarm,
        windows.c.began == messages.c.began,
        windows.c.turn == messages.c.turn,
    )
    rows = conn.execute(
        select(
            messages,
            alarms.c.enabled,
            alarms.c.push,
            alarms.c.email.label("mails"),
            alarms.c.quiet_from,
            alarms.c.quiet_to,
            spots.c.name,
            spots.c.timezone,
            spots.c.user_id,
            users.c.language,
            users.c.email,
            users.c.email_confirmed,
            users.c.disabled,
        )
        .join(windows, same)
        .join(alarms, alarms.c.spot == messages.c.alarm)
        .join(spots, spots.c.id == messages.c.alarm)
        .join(users, users.c.id == spots.c.user_id)
        .where(
            messages.c.state == "waiting",
            messages.c.channel == channel,
            now_or_never,
            windows.c.misses == 0,
        )
        .order_by(messages.c.due_at)
        .limit(most)
    )
    return [_due(row) for row in rows]


def unfinished(conn: Connection, channel: Channel) -> bool:
    """Return whether any message is waiting or being sent."""
    open_ones = messages.c.state.in_(("waiting", "sending"))
    found = select(messages.c.alarm).where(open_ones, messages.c.channel == channel).limit(1)
    return conn.execute(found).first() is not None


def claim(conn: Connection, key: MessageKey, now: int) -> bool:
    """Claim a message; return False if another process was faster."""
    taken = update(messages).where(_matches(key), messages.c.state == "waiting")
    values = {"state": "sending", "claimed_at": now, "tried": messages.c.tried + 1}
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


def history(conn: Connection, user: int, most: int | None = None) -> list[HistoryEntry]:
    """Return the history by window, newest first; `most` limits the number of messages."""
    rows = conn.execute(
        select(messages, spots.c.name, spots.c.timezone)
        .join(spots, spots.c.id == messages.c.alarm)
        .where(spots.c.user_id == user)
        .order_by(messages.c.made_at.desc(), messages.c.alarm, messages.c.began, messages.c.channel)
        .limit(most)
    )
    found: dict[str, HistoryEntry] = {}
    for row in rows:
        key = _key(row)
        entry = found.setdefault(key.name, _entry(row, key))
        entry.messages.append(_delivered(row))
    return list(found.values())


def by_state(conn: Connection) -> dict[State, int]:
    counted = select(messages.c.state, func.count()).group_by(messages.c.state)
    return {row[0]: row[1] for row in conn.execute(counted)}


def troubles(conn: Connection, most: int) -> list[FailedMessage]:
    """Return failed messages and messages being retried, newest first."""
    troubled = or_(
        messages.c.state == "failed",
        and_(messages.c.state == "waiting", messages.c.tried > 0),
    )
    newest = messages.c.made_at.desc()
    rows = conn.execute(select(messages).where(troubled).order_by(newest).limit(most))
    return [
        FailedMessage(
            row.alarm,
            row.channel,
            row.state,
            row.tried,
            row.made_at,
            row.due_at,
            _problem(row.error),
        )
        for row in rows
    ]


def _matches(key: MessageKey) -> ColumnElement[bool]:
    return and_(
        messages.c.alarm == key.alarm,
        messages.c.began == key.began,
        messages.c.turn == key.turn,
        messages.c.channel == key.channel,
    )


def _key(row: Row[Any]) -> MessageKey:
    return MessageKey(row.alarm, row.began, row.turn, row.channel)


def _due(row: Row[Any]) -> DueMessage:
    on = row.mails if row.channel == "email" else row.push
    return DueMessage(
        _key(row),
        row.user_id,
        row.language,
        row.email if row.email_confirmed else None,
        bool(row.enabled and on and not row.disabled),
        row.name,
        row.timezone,
        None if row.quiet_from is None else (row.quiet_from, row.quiet_to),
        AlertWindow(row.start, row.end, row.wind_low, row.wind_high, row.gust, row.direction),
        row.model,
        row.tried,
        row.expires_at,
        row.sent_at,
        row.left_over,
    )


def _entry(row: Row[Any], key: MessageKey) -> HistoryEntry:
    window = AlarmWindow(row.start, row.end, row.wind_low, row.wind_high, row.direction, row.gust)
    return HistoryEntry(
        key.name, row.alarm, row.name, row.timezone, row.model, row.run, row.made_at, window, []
    )


def _delivered(row: Row[Any]) -> Delivered:
    return Delivered(row.channel, row.state, row.tried, row.sent_at, _problem(row.error))


def _problem(error: Any) -> Problem | None:
    return None if error is None else msgspec.convert(error, Problem)
