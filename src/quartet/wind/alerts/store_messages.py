"""Messages on their way: each is claimed by exactly one process before it is sent."""

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
    Channel,
    Delivered,
    FailedMessage,
    HistoryEntry,
    State,
    Window,
)
from quartet.wind.spots.tables import spots

LONGEST_WAIT = 25 * 3600


class Key(NamedTuple):
    alarm: int
    began: int
    turn: int
    channel: Channel

    @property
    def name(self) -> str:
        """The same for all attempts, and for all channels."""
        return f"{self.alarm}-{self.began}-{self.turn}"


class Due(NamedTuple):
    """A message with all that is needed to send it; `left_over` are browsers not reached yet."""

    key: Key
    user: int
    language: str
    email: str | None
    wanted: bool
    spot: str
    timezone: str
    quiet: tuple[int, int] | None
    window: Window
    model: str
    tried: int
    expires_at: int
    sent_at: int | None
    left_over: list[int] | None


def due(conn: Connection, channel: Channel, now: int, most: int) -> list[Due]:
    """Windows that are missing from the newest run wait: they may come back.

    Of one that was gone and came back only what is told anew.
    """
    # Nobody waits longer than a day: what is due later was put off by a clock that was wrong.
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
    """Whether there is anything to do at all."""
    open_ones = messages.c.state.in_(("waiting", "sending"))
    found = select(messages.c.alarm).where(open_ones, messages.c.channel == channel).limit(1)
    return conn.execute(found).first() is not None


def claim(conn: Connection, key: Key, now: int) -> bool:
    """Whether it is ours to send: another process may have been quicker."""
    taken = update(messages).where(_is(key), messages.c.state == "waiting")
    values = {"state": "sending", "claimed_at": now, "tried": messages.c.tried + 1}
    return conn.execute(taken.values(values)).rowcount == 1


def settle(conn: Connection, key: Key, state: State, **values: Any) -> None:
    """Of one that was claimed."""
    mine = update(messages).where(_is(key), messages.c.state == "sending")
    conn.execute(mine.values(state=state, claimed_at=None, **values))


def postpone(conn: Connection, key: Key, due_at: int, expires_at: int) -> None:
    waiting = update(messages).where(_is(key), messages.c.state == "waiting")
    conn.execute(waiting.values(due_at=due_at, expires_at=expires_at))


def drop(conn: Connection, key: Key, error: Problem) -> None:
    waiting = update(messages).where(_is(key), messages.c.state == "waiting")
    conn.execute(waiting.values(state="dropped", error=msgspec.to_builtins(error)))


def release(conn: Connection, now: int, lease: int) -> int:
    """Claims of a process that died, also when the clock was set back since."""
    late = or_(messages.c.claimed_at < now - lease, messages.c.claimed_at > now + lease)
    lost = update(messages).where(messages.c.state == "sending", late)
    return conn.execute(lost.values(state="waiting", claimed_at=None)).rowcount


def expire(conn: Connection, now: int) -> None:
    """What was tried in vain has failed, unless it reached somebody; the rest is too late.

    One that waited beyond the start of its window did so because of quiet hours.
    """
    over = update(messages).where(messages.c.state == "waiting", messages.c.expires_at <= now)
    conn.execute(over.where(messages.c.sent_at.is_not(None)).values(state="sent"))
    conn.execute(over.where(messages.c.tried > 0).values(state="failed"))
    quiet = over.where(messages.c.expires_at > messages.c.start)
    conn.execute(quiet.values(state="dropped", error=msgspec.to_builtins(Problem("quiet_hours"))))
    conn.execute(over.values(state="dropped", error=msgspec.to_builtins(Problem("too_late"))))


def history(conn: Connection, user: int, most: int | None = None) -> list[HistoryEntry]:
    """The newest first; one for each window that was told. All messages, or so many at most."""
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
    """Failed ones, and those that wait although they were tried; the newest first."""
    unwell = or_(
        messages.c.state == "failed",
        and_(messages.c.state == "waiting", messages.c.tried > 0),
    )
    newest = messages.c.made_at.desc()
    rows = conn.execute(select(messages).where(unwell).order_by(newest).limit(most))
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


def _is(key: Key) -> ColumnElement[bool]:
    return and_(
        messages.c.alarm == key.alarm,
        messages.c.began == key.began,
        messages.c.turn == key.turn,
        messages.c.channel == key.channel,
    )


def _key(row: Row[Any]) -> Key:
    return Key(row.alarm, row.began, row.turn, row.channel)


def _due(row: Row[Any]) -> Due:
    on = row.mails if row.channel == "email" else row.push
    return Due(
        _key(row),
        row.user_id,
        row.language,
        row.email if row.email_confirmed else None,
        bool(row.enabled and on and not row.disabled),
        row.name,
        row.timezone,
        None if row.quiet_from is None else (row.quiet_from, row.quiet_to),
        Window(row.start, row.end, row.wind_low, row.wind_high, row.gust, row.direction),
        row.model,
        row.tried,
        row.expires_at,
        row.sent_at,
        row.left_over,
    )


def _entry(row: Row[Any], key: Key) -> HistoryEntry:
    window = AlarmWindow(row.start, row.end, row.wind_low, row.wind_high, row.direction, row.gust)
    return HistoryEntry(
        key.name, row.alarm, row.name, row.timezone, row.model, row.run, row.made_at, window, []
    )


def _delivered(row: Row[Any]) -> Delivered:
    return Delivered(row.channel, row.state, row.tried, row.sent_at, _problem(row.error))


def _problem(error: Any) -> Problem | None:
    return None if error is None else msgspec.convert(error, Problem)
