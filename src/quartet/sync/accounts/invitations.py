import logging
import time

from quartet.kernel.auth import (
    Passwords,
    Sessions,
    Throttle,
    check_password_rules,
    client_key,
    hash_token,
    new_token,
)
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection
from quartet.sync.accounts import store
from quartet.sync.accounts.service import Accounts
from quartet.sync.accounts.types import AcceptedInvitation, AccountInvitation, InvitedAccount

log = logging.getLogger("quartet.sync.accounts")

VALID_SECONDS = 7 * 24 * 3600


class Invitations:
    """Links with which people set the password of their account; each works once."""

    def __init__(
        self,
        db: Database,
        accounts: Accounts,
        passwords: Passwords,
        sessions: Sessions,
        throttle: Throttle,
    ) -> None:
        self._db = db
        self._accounts = accounts
        self._passwords = passwords
        self._sessions = sessions
        # Limits how often wrong tokens can be tried.
        self._throttle = throttle

    async def create(self, name: str) -> AccountInvitation:
        """Replace the invitation of an account; its password stays valid until it is used."""
        token, expires_at = new_token(), int(time.time()) + VALID_SECONDS

        def work(tx: Tx) -> None:
            if name not in store.load_all(tx.conn):
                raise AppError(404, "account_not_found", account=name)
            store.invite(tx.conn, name, hash_token(token), expires_at)

        await self._db.write(work)
        await self._accounts.reload(name)
        log.info("account %s: invitation link created", name)
        return AccountInvitation(token, expires_at)

    async def look(self, client: str, token: str) -> InvitedAccount:
        await self._throttle.check(client)
        found = await self._db.read(store.find_invitation, hash_token(token))
        if found is None:
            await self._throttle.failed(client)
        name, expires_at = check_invitation(found)
        account = (await self._db.read(store.load_all))[name]
        return InvitedAccount(name, account.role, expires_at)

    async def accept(self, connection: Connection, given: AcceptedInvitation) -> tuple[str, str]:
        """Set the password and end other sessions; return the account and the session's token."""
        await self.look(client_key(connection), given.token)
        check_password_rules(given.password)
        hashed = await self._passwords.hash(given.password)

        def work(tx: Tx) -> tuple[str, str]:
            name = take_invitation(tx, hash_token(given.token))
            store.change(tx.conn, name, {"password_hash": hashed})
            self._sessions.end_all(tx, name)
            return name, self._sessions.begin(tx, name, connection)

        name, token = await self._db.write(work)
        await self._accounts.reload(name)
        log.info("account %s: invitation accepted", name)
        return name, token


def take_invitation(tx: Tx, token_hash: str) -> str:
    """Remove a valid invitation, so that it works once, and return its account."""
    name, _ = check_invitation(store.find_invitation(tx.conn, token_hash))
    store.withdraw_invitation(tx.conn, name)
    return name


def check_invitation(found: tuple[str, int] | None) -> tuple[str, int]:
    if found is None:
        raise AppError(404, "invitation_not_found")
    if found[1] <= time.time():
        raise AppError(410, "invitation_expired")
    return found
