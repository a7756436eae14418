"""When the next backup is due."""

from datetime import datetime, timedelta

from quartet.kernel.backups.types import Record

OFF = "off"
# A backup that is this late counts as overdue.
GRACE_SECONDS = 2 * 3600
# A failed backup is repeated after this time.
RETRY_SECONDS = 3600


def last_due(clock: str, now: float) -> float | None:
    """Return the last scheduled time up to now; None without a schedule."""
    if clock == OFF:
        return None
    today = _at(clock, now, 0)
    return today if today <= now else _at(clock, now, -1)


def next_due(clock: str, now: float) -> float | None:
    if clock == OFF:
        return None
    today = _at(clock, now, 0)
    return today if today > now else _at(clock, now, 1)


def is_due(record: Record, clock: str, now: float) -> bool:
    due = last_due(clock, now)
    if due is None or due < record.since:
        return False
    if record.attempted_at is None or record.attempted_at < due:
        return True
    return record.error is not None and now - record.attempted_at >= RETRY_SECONDS


def is_overdue(record: Record, clock: str, now: float) -> bool:
    due = last_due(clock, now - GRACE_SECONDS)
    return due is not None and max(record.succeeded_at or 0, record.since) < due


def _at(clock: str, now: float, days: int) -> float:
    """Return this time of day in local time, some days from now."""
    hours, minutes = (int(part) for part in clock.split(":"))
    day = datetime.fromtimestamp(now) + timedelta(days=days)  # noqa: DTZ006 - local time is meant
    return day.replace(hour=hours, minute=minutes, second=0, microsecond=0).timestamp()
