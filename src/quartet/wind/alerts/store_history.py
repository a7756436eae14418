"""Queries on messages for the history and the admin page."""

from typing import Any

import msgspec
from sqlalchemy import Connection, Row, and_, func, or_, select

from quartet.kernel.errors import Problem
from quartet.wind.alerts.store_forecast import forecast_of
from quartet.wind.alerts.store_messages import MessageKey, key_of
from quartet.wind.alerts.tables import alarm_messages as messages
from quartet.wind.alerts.types import (
    AlarmWindow,
    Delivered,
    FailedMessage,
    HistoryEntry,
    State,
)
from quartet.wind.spots.tables import spots


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
        key = key_of(row)
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


def _entry(row: Row[Any], key: MessageKey) -> HistoryEntry:
    at = forecast_of(row)
    window = AlarmWindow(at.start, at.end, at.wind_low, at.wind_high, at.direction, at.gust)
    return HistoryEntry(
        key.name,
        row.alarm,
        row.name,
        row.timezone,
        row.model,
        row.run,
        row.made_at,
        window,
        [],
        row.kind,
    )


def _delivered(row: Row[Any]) -> Delivered:
    return Delivered(row.channel, row.state, row.tried, row.sent_at, _problem(row.error))


def _problem(error: Any) -> Problem | None:
    return None if error is None else msgspec.convert(error, Problem)
