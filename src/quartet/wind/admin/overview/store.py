from typing import NamedTuple

from sqlalchemy import Connection, func, select

from quartet.wind.accounts.tables import users
from quartet.wind.alarms.tables import alarm_messages, alarms
from quartet.wind.push.tables import subscriptions
from quartet.wind.spots.tables import spots
from quartet.wind.stations.tables import stations


class Counted(NamedTuple):
    users: int
    spots: int
    alarms: int
    subscriptions: int
    stations: int


def counts(conn: Connection) -> Counted:
    tables = (users, spots, alarms, subscriptions, stations)
    return Counted(
        *(conn.execute(select(func.count()).select_from(each)).scalar_one() for each in tables)
    )


def failed_since(conn: Connection, since: int) -> int:
    """Messages that reached nobody."""
    failed = (alarm_messages.c.state == "failed") & (alarm_messages.c.made_at >= since)
    counted = select(func.count()).select_from(alarm_messages).where(failed)
    return conn.execute(counted).scalar_one()
