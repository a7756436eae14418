"""Accounts, each with a separate browser."""

import secrets
from dataclasses import dataclass

from quartet.kernel.db import Database, Tx
from quartet.wind.accounts import store
from quartet.wind.accounts.service import Accounts
from tests.client import Client, client_at


@dataclass
class SignedInUser:
    id: int
    browser: Client


async def new_account(db: Database, name: str = "Anna") -> int:
    values = {
        "handle": secrets.token_bytes(64),
        "name": name,
        "email_confirmed": False,
        "role": "user",
        "disabled": False,
        "language": "en",
        "created_at": 0,
    }
    number = await db.write(lambda tx: store.add(tx.conn, values))
    assert number is not None
    return number


async def signed_in_user(site: Client, name: str = "Anna") -> SignedInUser:
    """Return a user who has just signed in."""
    db: Database = site.started.kernel.db
    number = await new_account(db, name)

    def begin(tx: Tx) -> str:
        return Accounts(db).sessions.begin(tx, str(number))

    browser = client_at(site.started)
    browser.cookies.set("quartet_wind", await db.write(begin))
    return SignedInUser(number, browser)
