"""Startup message: the first admin's invite, or the demo login."""

import secrets
import time

from quartet.kernel.auth import Passwords, hash_token
from quartet.kernel.db import Tx
from quartet.kernel.demo import demo_password
from quartet.kernel.service import Kernel
from quartet.wind.accounts import store, store_invites
from quartet.wind.accounts.account_creation import HANDLE_BYTES
from quartet.wind.accounts.invites import invite_path, new_invite
from quartet.wind.accounts.types import NewInvite
from quartet.wind.address import site_address
from quartet.wind.mail.address import email_key
from quartet.wind.settings import WindSettings

DEMO_EMAIL = "demo@example.org"
INVITE_DAYS = 30


def startup_message(kernel: Kernel[WindSettings]) -> str:
    return _demo(kernel) if kernel.demo else _first_admin(kernel)


def _first_admin(kernel: Kernel[WindSettings]) -> str:
    """Return the invite link for the first admin; stored next to the database until it is used."""
    code = first_admin_code(kernel)
    if code is None:
        return "no login needed; sign in for spots and alerts"
    return f"no login needed; to become the admin, open {invite_link(kernel, code)}"


def first_admin_code(kernel: Kernel[WindSettings], *, renew: bool = False) -> str | None:
    """Return the code of the first admin's invite, a new one if the old one cannot be used.

    Return None if there is an admin. With `renew` the old code becomes invalid.
    """
    file, now = kernel.settings.data / "first-admin-invite", int(time.time())

    def work(tx: Tx) -> str | None:
        if store.has_admin(tx.conn):
            return None
        code = file.read_text() if file.exists() else ""
        if not renew and store_invites.usable(tx.conn, hash_token(code), now):
            return code
        store_invites.remove_first_admin(tx.conn)
        return new_invite(tx, NewInvite(role="admin", days=INVITE_DAYS), None, now).code

    code = kernel.db.write_sync(work)
    if code is None:
        file.unlink(missing_ok=True)
        return None
    file.touch(mode=0o600)
    file.write_text(code)
    return code


def invite_link(kernel: Kernel[WindSettings], code: str) -> str:
    return f"{site_address(kernel.settings)}{invite_path(code)}"


def _demo(kernel: Kernel[WindSettings]) -> str:
    def set_password(password: str) -> None:
        kernel.db.write_sync(_add_demo_admin, Passwords().hash_now(password))

    password = demo_password(kernel.settings.data, set_password)
    return f"no login needed; sign in as {DEMO_EMAIL} with the password {password}"


def _add_demo_admin(tx: Tx, password_hash: str) -> None:
    store.add(
        tx.conn,
        {
            "handle": secrets.token_bytes(HANDLE_BYTES),
            "name": "Demo",
            "email": DEMO_EMAIL,
            "email_key": email_key(DEMO_EMAIL),
            "email_confirmed": True,
            "password_hash": password_hash,
            "role": "admin",
            "disabled": False,
            "language": "en",
            "created_at": int(time.time()),
        },
    )
