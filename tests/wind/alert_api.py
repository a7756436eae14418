"""Helpers for tests of the alert API."""

from typing import Any

from quartet.wind.accounts import store as accounts
from tests.client import Client
from tests.wind.signed_in_users import SignedInUser

HOUR = 3600
ALARM: dict[str, Any] = {
    "enabled": True,
    "windMin": 15,
    "hours": {"from": 0, "to": 24},
    "weekdays": [1, 2, 3, 4, 5, 6, 7],
    "leadHours": 24,
    "minHours": 2,
    "channels": {"push": True, "email": True, "messenger": False},
}


async def with_mail(
    site: Client, person: SignedInUser, email: str = "anna@example.org"
) -> SignedInUser:
    await site.started.kernel.db.write(
        lambda tx: accounts.set_email(tx.conn, person.id, email, confirmed=True)
    )
    return person


async def add_spot(person: SignedInUser) -> int:
    place = {"name": "Kite Nord", "lat": 54.4, "lon": 10.2}
    answer = await person.browser.post("/api/favorites", json=place)
    assert answer.status_code == 201, answer.text
    number: int = answer.json()["id"]
    return number


async def run_loop(site: Client, name: str) -> None:
    """Run one of the loops once."""
    (found,) = [each for each in site.started.built.background_tasks if each.name == name]
    await found.run()
