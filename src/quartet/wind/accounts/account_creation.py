"""Rules for new accounts, and their creation."""

import logging
import secrets
from collections.abc import Awaitable, Callable

from quartet.kernel.auth import hash_token
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.wind.accounts import store, store_invites, store_pending
from quartet.wind.accounts.service import Accounts
from quartet.wind.accounts.types import NewUser, User
from quartet.wind.mail.address import email_key
from quartet.wind.site.types import AccountMode

log = logging.getLogger("quartet.wind.accounts")

HANDLE_BYTES = 64


class AccountCreation:
    def __init__(
        self, db: Database, accounts: Accounts, mode: Callable[[], Awaitable[AccountMode]]
    ) -> None:
        self._db, self._accounts, self._mode = db, accounts, mode

    async def check(self, code: str | None) -> str | None:
        """Check whether a sign-up is allowed; return the hash of the invite, if one was given."""
        hashed = hash_token(code) if code else None
        await self.check_invite(hashed)
        return hashed

    async def check_invite(self, invite: str | None) -> None:
        """Check a sign-up again when it is completed: the site may be closed since it was begun."""
        mode = await self._mode()
        if invite is None:
            if mode == "closed":
                raise AppError(403, "closed")
            if mode == "invite":
                raise AppError(403, "invite_required")
            return
        if await self._db.read(store_invites.usable, invite, self._accounts.now) is None:
            raise AppError(403, "invite_invalid")
        # While there is no admin, invites work even on a closed site: only an admin can open it.
        if mode == "closed" and await self._db.read(store.has_admin):
            raise AppError(403, "closed")

    def create(self, tx: Tx, new: NewUser, handle: bytes | None = None) -> User | None:
        """Create the account; return None, without using the invite, if the address is taken."""
        now, conn = self._accounts.now, tx.conn
        if new.email and store.by_email(conn, new.email):
            return None
        role = store_invites.use(conn, new.invite, now) if new.invite else "user"
        if role is None:
            raise AppError(403, "invite_invalid")
        user_id = store.add(
            conn,
            {
                "handle": handle or secrets.token_bytes(HANDLE_BYTES),
                "name": new.name,
                "email": new.email,
                "email_key": email_key(new.email) if new.email else None,
                "email_confirmed": new.email_confirmed,
                "password_hash": new.password_hash,
                "role": role,
                "disabled": False,
                "language": new.language,
                "created_at": now,
            },
        )
        if user_id is None:
            raise AddressTaken
        if new.invite:
            store_invites.used_by(conn, new.invite, user_id)
        tx.after_commit(lambda: log.info("account %d created: %s", user_id, role))
        return store.user(conn, user_id)


def end_pending_sign_ups(tx: Tx, key: str, value: object) -> None:
    """Invalidate the links of unconfirmed sign-ups when the site is closed."""
    if key == "account_mode" and value == "closed":
        ended = store_pending.remove_sign_ups(tx.conn)
        tx.after_commit(lambda: log.info("site closed: %d pending sign-ups ended", ended))


class AddressTaken(Exception):
    """A concurrent sign-up took the address; the transaction is rolled back."""
