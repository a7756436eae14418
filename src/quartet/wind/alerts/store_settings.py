from sqlalchemy import Connection, select, update

from quartet.wind.alerts.tables import alarm_messages as messages
from quartet.wind.alerts.tables import alarm_settings as settings
from quartet.wind.alerts.types import AlertSettings, DailyDigest
from quartet.wind.spots.tables import spots
from quartet.wind.store_upsert import put


def get(conn: Connection, user: int) -> AlertSettings:
    row = conn.execute(select(settings).where(settings.c.user_id == user)).first()
    if row is None or row.digest_hour is None:
        return AlertSettings()
    return AlertSettings(DailyDigest(row.digest_hour, row.digest_timezone))


def save(conn: Connection, user: int, wanted: AlertSettings) -> None:
    digest = wanted.digest
    values = {
        "user_id": user,
        "digest_hour": digest.hour if digest else None,
        "digest_timezone": digest.timezone if digest else None,
    }
    put(conn, settings, [values])


def reschedule(conn: Connection, user: int) -> None:
    """Make unsent messages due, so that the new settings decide when they are sent."""
    own = select(spots.c.id).where(spots.c.user_id == user)
    unsent = update(messages).where(
        messages.c.alarm.in_(own), messages.c.state == "waiting", messages.c.tried == 0
    )
    conn.execute(unsent.values(due_at=messages.c.made_at))
