"""Accounts with e-mail and password: sign up, sign in and change the password."""

from quartet.kernel.auth import Passwords, check_password_rules
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection, Identity
from quartet.wind.accounts import store, store_pending
from quartet.wind.accounts.account_creation import AccountCreation, AddressTaken
from quartet.wind.accounts.account_emails import AccountEmails
from quartet.wind.accounts.input_cleanup import tidy_name
from quartet.wind.accounts.rate_limits import RateLimits
from quartet.wind.accounts.recent_checks import RecentChecks
from quartet.wind.accounts.service import Accounts, require_account
from quartet.wind.accounts.types import (
    MailLink,
    NewUser,
    PasswordChange,
    PasswordSignIn,
    PasswordSignUp,
    SignInResult,
    User,
)
from quartet.wind.languages import Language
from quartet.wind.mail.address import tidy_email


class PasswordLogin:
    def __init__(
        self,
        db: Database,
        accounts: Accounts,
        account_creation: AccountCreation,
        emails: AccountEmails,
        recent_checks: RecentChecks,
        passwords: Passwords,
        rate_limits: RateLimits,
    ) -> None:
        self._db, self._accounts, self._account_creation = db, accounts, account_creation
        self._emails, self._recent_checks, self._rate_limits = emails, recent_checks, rate_limits
        self._passwords = passwords

    @property
    def requires_confirmation(self) -> bool:
        """Return whether new accounts have to confirm their address by mail."""
        return self._emails.ready

    async def sign_up(
        self, connection: Connection, wanted: PasswordSignUp, language: Language
    ) -> SignInResult | None:
        """Sign up; return None if the address must be confirmed first or already has an account."""
        await self._rate_limits.count_sign_up(connection)
        check_password_rules(wanted.password)
        name, email = tidy_name(wanted.name), tidy_email(wanted.email)
        invite = await self._account_creation.check(wanted.invite)
        hashed = await self._passwords.hash(wanted.password)
        new = NewUser(name, language, invite, email, self.requires_confirmation, hashed)
        if self.requires_confirmation:
            await self._emails.put(MailLink("sign_up", email, new=new), language)
            return None

        def work(tx: Tx) -> SignInResult | None:
            user = self._account_creation.create(tx, new)
            return self._accounts.start_session(tx, connection, user) if user else None

        try:
            return await self._db.write(work)
        except AddressTaken:
            return None

    async def check_invite(self, connection: Connection, code: str) -> None:
        await self._rate_limits.count_sign_up(connection)
        await self._account_creation.check(code)

    async def sign_in(
        self, connection: Connection, given: PasswordSignIn, mark: str = ""
    ) -> SignInResult:
        email = tidy_email(given.email)
        user = await self._db.read(store.by_email, email)
        await self._rate_limits.count_password_attempt(connection, email, user, mark)
        stored = user.password_hash if user else None
        right = await self._passwords.verify(stored, given.password)
        if user is None or not right:
            raise AppError(401, "wrong_credentials")
        user_id = user.id

        def work(tx: Tx) -> SignInResult:
            now = store.lock_user(tx.conn, user_id)
            # The password was changed during the check.
            if now is None or now.password_hash != stored:
                raise AppError(401, "wrong_credentials")
            return self._accounts.start_session(tx, connection, now)

        return await self._db.write(work)

    async def change(
        self, connection: Connection, identity: Identity, wanted: PasswordChange
    ) -> SignInResult:
        """Change the password, end all other sessions and renew this one."""
        user = require_account(await self._db.read(store.user, int(identity.subject)))
        if user.email is None:
            raise AppError(409, "email_needed")
        check_password_rules(wanted.password)
        if user.password_hash is not None:
            await self._rate_limits.count_own_action(user.id)
            if not await self._passwords.verify(user.password_hash, wanted.current or ""):
                raise AppError(403, "wrong_password")
        else:
            await self._recent_checks.require(identity)
        hashed = await self._passwords.hash(wanted.password)
        return await self._db.write(self._replace, connection, user, hashed, identity.session)

    def _replace(
        self, tx: Tx, connection: Connection, before: User, hashed: str, current: str | None
    ) -> SignInResult:
        user_id = before.id
        user = require_account(store.lock_user(tx.conn, user_id))
        if user.password_hash != before.password_hash:
            # The password was changed during the check.
            raise AppError(403, "wrong_password")
        store.change(tx.conn, user_id, password_hash=hashed)
        # Also a pending change of the address, which somebody with the old password may have begun.
        store_pending.remove_links(tx.conn, user_id)
        # This browser gets a new session as well, which takes over its push subscription.
        self._accounts.end_sessions(tx, user_id, keep=current)
        return self._accounts.start_session(tx, connection, user)

    async def forgot(self, connection: Connection, email: str) -> None:
        await self._rate_limits.count_sign_up(connection)
        await self._emails.put(MailLink("reset", tidy_email(email)), "en")
