"""People and their alarms, straight into a PostgreSQL that others serve."""

import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import insert

from quartet.kernel.db import Database, Tx, open_database
from quartet.wind.accounts import store
from quartet.wind.accounts.service import Accounts
from quartet.wind.alerts.tables import alarms
from quartet.wind.spots.tables import spots


class People(NamedTuple):
    cookies: dict[str, str]
    spots: list[int]


@contextmanager
def _opened(url: str) -> Iterator[Database]:
    with tempfile.TemporaryDirectory() as folder:
        db = open_database(Path(folder), "wind", url)
        yield db
        db.close()


def session_of(url: str) -> dict[str, str]:
    with _opened(url) as db:
        return db.write_sync(lambda tx: _entered(db, tx))[1]


def many_alarms(url: str, count: int, mails: int, model: str) -> People:
    """The first ones send mails; all others are evaluated but notify nobody."""

    def work(tx: Tx) -> People:
        user, cookies = _entered(db, tx)
        rows = [_spot(user, number) for number in range(count)]
        found = tx.conn.execute(insert(spots).returning(spots.c.id), rows)
        ids = sorted(row.id for row in found)
        tx.conn.execute(insert(alarms), [_alarm(each, each in ids[:mails], model) for each in ids])
        return People(cookies, ids)

    with _opened(url) as db:
        return db.write_sync(work)


def _entered(db: Database, tx: Tx) -> tuple[int, dict[str, str]]:
    user = store.add(
        tx.conn,
        {
            "handle": secrets.token_bytes(64),
            "name": "Anna",
            "email": f"{secrets.token_hex(4)}@example.org",
            "email_confirmed": True,
            "role": "user",
            "disabled": False,
            "language": "en",
            "created_at": 0,
        },
    )
    assert user is not None
    token = Accounts(db).sessions.begin(tx, str(user))
    return user, {"quartet_wind": token}


def _spot(user: int, number: int) -> dict[str, Any]:
    lat, lon = 45 + number % 100 / 10, 2 + number // 100 / 10
    return {
        "user_id": user,
        "name": f"Spot {number}",
        "lat": lat,
        "lon": lon,
        "timezone": "UTC",
        "directions": [],
        "position": number,
        "created_at": 0,
    }


def _alarm(spot: int, mails: bool, model: str) -> dict[str, Any]:
    return {
        "spot": spot,
        "enabled": True,
        "wind_min": 3.0,
        "hour_from": 0,
        "hour_to": 24,
        "weekdays": 127,
        "lead_hours": 48,
        "min_hours": 1,
        "model": model,
        "push": False,
        "email": mails,
        "chosen": model,
        "revision": 1,
        "seen_revision": 0,
    }
