"""Queries of the evaluation that create and update messages."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, bindparam, case, select, tuple_, update

from quartet.kernel.batches import in_batches
from quartet.wind.alerts.store_forecast import columns_of, forecast_of
from quartet.wind.alerts.tables import alarm_messages as messages
from quartet.wind.alerts.types import AlertWindow, MessageKind
from quartet.wind.alerts.window_dedup import KnownWindow, WindowUpdate
from quartet.wind.store_upsert import insert_into


class Announcement(NamedTuple):
    """A window to announce for an alert."""

    alarm: int
    channels: Sequence[str]
    window_update: WindowUpdate


class AnnouncedWindow(NamedTuple):
    """The channels on which a window was announced, and the forecast given there."""

    channels: list[str]
    forecast: AlertWindow


def announced(
    conn: Connection, missing: Sequence[tuple[int, KnownWindow]]
) -> dict[tuple[int, int], AnnouncedWindow]:
    """Return those of the missing windows that were announced in their current turn."""
    turns = {(alarm, window.began): window.turn for alarm, window in missing}
    found: dict[tuple[int, int], AnnouncedWindow] = {}
    for some in in_batches(list(turns)):
        rows = conn.execute(
            select(messages).where(
                tuple_(messages.c.alarm, messages.c.began).in_(some),
                messages.c.sent_at.is_not(None),
            )
        )
        for row in rows:
            if row.turn == turns[row.alarm, row.began]:
                announced_as = AnnouncedWindow([], forecast_of(row))
                same = found.setdefault((row.alarm, row.began), announced_as)
                same.channels.append(row.channel)
    return found


def add_messages(
    conn: Connection,
    announcements: Sequence[Announcement],
    model: str,
    run: int,
    now: int,
    kind: MessageKind = "window",
) -> None:
    """Insert messages; existing ones are kept, so nothing is announced twice."""
    sign = -1 if kind == "withdrawn" else 1
    rows = [
        {
            "alarm": each.alarm,
            "began": each.window_update.window.began,
            "turn": sign * each.window_update.window.turn,
            "kind": kind,
            "channel": channel,
            "state": "waiting",
            "made_at": now,
            "due_at": now,
            "expires_at": _expiry(each.window_update.forecast, now),
            "tried": 0,
            "model": model,
            "run": run,
            **columns_of(each.window_update.forecast),
        }
        for each in announcements
        for channel in each.channels
    ]
    statement = insert_into(conn, messages).on_conflict_do_nothing()
    for some in in_batches(rows):
        conn.execute(statement, some)


def _expiry(forecast: AlertWindow, now: int) -> int:
    """A message is too late when its window begins, or ends if it is withdrawn after that."""
    return forecast.start if forecast.start > now else forecast.end


def update_messages(
    conn: Connection, moved: Sequence[tuple[int, WindowUpdate]], model: str, run: int
) -> None:
    """Update waiting messages to the current forecast."""
    same = and_(
        messages.c.alarm == bindparam("in_alarm"),
        messages.c.began == bindparam("in_began"),
        messages.c.turn == bindparam("in_turn"),
        messages.c.state == "waiting",
        messages.c.sent_at.is_(None),
    )
    rows = [
        {
            "in_alarm": alarm,
            "in_began": window_update.window.began,
            "in_turn": window_update.window.turn,
            "new_model": model,
            "new_run": run,
            **{f"new_{name}": value for name, value in columns_of(window_update.forecast).items()},
        }
        for alarm, window_update in moved
    ]
    if not rows:
        return
    new = [name for name in rows[0] if name.startswith("new_")]
    values: dict[str, Any] = {name.removeprefix("new_"): bindparam(name) for name in new}
    # Quiet hours may delay a message beyond the start or even the end of its window.
    values["expires_at"] = case(
        (messages.c.due_at >= bindparam("new_end"), messages.c.due_at),
        (messages.c.due_at >= bindparam("new_start"), bindparam("new_end")),
        else_=bindparam("new_start"),
    )
    conn.execute(update(messages).where(same).values(values), rows)


def waiting_of(conn: Connection, ids: Sequence[int]) -> set[tuple[int, int]]:
    """Return the windows of these alerts that have waiting messages."""
    rows = conn.execute(
        select(messages.c.alarm, messages.c.began).where(
            messages.c.state == "waiting", messages.c.alarm.in_(ids)
        )
    )
    return {(row.alarm, row.began) for row in rows}
