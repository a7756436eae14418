"""Recovery links: an operator gives a locked-out user a way to set a new password or passkey."""

import logging

from quartet.kernel.auth import Passwords, check_password_rules, hash_token, new_token
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection
from quartet.wind.accounts import store, store_pending
from quartet.wind.accounts.ceremonies import BegunCeremony, Ceremonies, new_challenge
from quartet.wind.accounts.passkeys import Passkeys
from quartet.wind.accounts.rate_limits import RateLimits
from quartet.wind.accounts.service import Accounts
from quartet.wind.accounts.types import (
    Ceremony,
    MailLink,
    RecoveryLink,
    Registration,
    Reset,
    ResetTarget,
    SignInResult,
    User,
)
from quartet.wind.mail.address import email_key

log = logging.getLogger("quartet.wind.accounts")

LINK_SECONDS = 24 * 3600


def make_recovery_link(tx: Tx, user: User, now: int) -> RecoveryLink:
    """Create a link that replaces earlier ones; only its hash is stored."""
    token = new_token()
    store_pending.remove_links(tx.conn, user.id, "recovery")
    store_pending.add_link(
        tx.conn,
        hash_token(token),
        MailLink("recovery", user.email or "", user.id),
        now,
        now + LINK_SECONDS,
    )
    tx.after_commit(lambda: log.info("account %d: recovery link created", user.id))
    return RecoveryLink(f"/reset?token={token}", now + LINK_SECONDS)


class PasswordResets:
    """Completes links that came by mail, from an admin or from the command line."""

    def __init__(
        self,
        db: Database,
        accounts: Accounts,
        passkeys: Passkeys,
        ceremonies: Ceremonies,
        passwords: Passwords,
        rate_limits: RateLimits,
    ) -> None:
        self._db, self._accounts, self._passkeys = db, accounts, passkeys
        self._ceremonies, self._passwords, self._rate_limits = ceremonies, passwords, rate_limits

    async def make(self, user_id: int) -> RecoveryLink:
        """Create a link for an admin to pass on."""

        def work(tx: Tx) -> RecoveryLink:
            user = store.lock_user(tx.conn, user_id)
            if user is None:
                raise AppError(404, "not_found")
            return make_recovery_link(tx, user, self._accounts.now)

        return await self._db.write(work)

    async def show(self, connection: Connection, token: str) -> ResetTarget:
        """Return whose link it is, without using it up."""
        await self._rate_limits.count_sign_up(connection)
        user = await self._owner(token)
        return ResetTarget(user.name, user.email)

    async def set_password(self, connection: Connection, wanted: Reset) -> SignInResult:
        await self._rate_limits.count_sign_up(connection)
        check_password_rules(wanted.password)
        hashed = await self._passwords.hash(wanted.password)

        def work(tx: Tx) -> SignInResult:
            owner = self._take(tx, hash_token(wanted.token))
            if owner.email is None:
                # Signing in with a password needs an address.
                raise AppError(409, "email_needed")
            store.change(tx.conn, owner.id, password_hash=hashed)
            return self._sign_in_only_here(tx, connection, owner)

        return await self._db.write(work)

    async def begin_passkey(self, connection: Connection, token: str) -> BegunCeremony:
        await self._rate_limits.count_ceremony(connection)
        owner = await self._owner(token)
        ceremony = Ceremony("reset", new_challenge(), user_id=owner.id, link=hash_token(token))
        return await self._passkeys.begin_creation(connection, owner, ceremony)

    async def finish_passkey(
        self, connection: Connection, token: str, given: Registration
    ) -> SignInResult:
        """Add a passkey with a link; `token` is that of the ceremony."""
        ceremony = await self._ceremonies.take(token, "reset")
        verified = await self._ceremonies.verify_new(connection, ceremony, given)

        def work(tx: Tx) -> SignInResult:
            owner = self._take(tx, ceremony.link)
            if owner.id != ceremony.user_id:
                raise AppError(400, "link_invalid")
            self._ceremonies.add(tx, owner.id, verified, given.passkey_name)
            return self._sign_in_only_here(tx, connection, owner)

        return await self._db.write(work)

    async def _owner(self, token: str) -> User:
        link = await self._db.read(store_pending.find_link, hash_token(token), self._accounts.now)
        user = await self._db.read(store.user, link.user_id or 0) if link else None
        return _checked(link, user)

    def _take(self, tx: Tx, token_hash: str) -> User:
        link = store_pending.take_link(tx.conn, token_hash, self._accounts.now)
        owner = _checked(link, store.lock_user(tx.conn, link.user_id or 0) if link else None)
        if link is not None and link.purpose == "reset":
            # Opening a link that came by mail proves that the address belongs to the user.
            store.change(tx.conn, owner.id, email_confirmed=True)
        return owner

    def _sign_in_only_here(self, tx: Tx, connection: Connection, owner: User) -> SignInResult:
        # Also a pending change of the address, which somebody else may have begun.
        store_pending.remove_links(tx.conn, owner.id)
        self._accounts.end_sessions(tx, owner.id)
        tx.after_commit(lambda: log.info("account %d: access recovered with a link", owner.id))
        return self._accounts.start_session(tx, connection, owner)


def _checked(link: MailLink | None, owner: User | None) -> User:
    """Return the owner of a link that is still valid for the address it was made for."""
    if link is None or link.purpose not in ("reset", "recovery"):
        raise AppError(400, "link_invalid")
    if owner is None or owner.disabled:
        raise AppError(400, "link_invalid")
    if (owner.email_key or "") != (email_key(link.email) if link.email else ""):
        raise AppError(400, "link_invalid")
    return owner
