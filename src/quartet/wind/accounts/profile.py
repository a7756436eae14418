"""Changing a user's own name, language, units and e-mail address, and deleting the account."""

from typing import Any

import msgspec

from quartet.kernel.auth import hash_token
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
from quartet.wind.accounts.types import MailLink, Me, MeChange, SignInResult, User
from quartet.wind.mail.address import email_key, tidy_email


class Profile:
    def __init__(
        self,
        db: Database,
        accounts: Accounts,
        account_creation: AccountCreation,
        emails: AccountEmails,
        recent_checks: RecentChecks,
        rate_limits: RateLimits,
    ) -> None:
        self._db, self._accounts, self._account_creation = db, accounts, account_creation
        self._emails, self._recent_checks, self._rate_limits = emails, recent_checks, rate_limits

    async def change(self, identity: Identity, wanted: MeChange) -> Me:
        """Change the profile.

        A new address takes effect when it is confirmed, or at once (unconfirmed) if no mail is set
        up.
        """
        user = require_account(await self._db.read(store.user, int(identity.subject)))
        changed_fields = _changed_fields(wanted)
        email = user.email if wanted.email is msgspec.UNSET else _checked_email(user, wanted.email)
        email_changed = email != user.email
        needs_confirmation = email_changed and email is not None and self._emails.ready
        if email_changed:
            await self._recent_checks.require(identity)
            await self._rate_limits.count_own_action(user.id)

        def work(tx: Tx) -> Me:
            if changed_fields:
                store.change(tx.conn, user.id, **changed_fields)
            if wanted.email is not msgspec.UNSET:
                store_pending.remove_links(tx.conn, user.id)
            if (
                email_changed
                and not needs_confirmation
                and not store.set_email(tx.conn, user.id, email, confirmed=False)
            ):
                raise AppError(409, "email_taken")
            return self._accounts.shown(tx, user.id, identity.session)

        me = await self._db.write(work)
        if email is None or not needs_confirmation:
            return me
        await self._emails.put(MailLink("email", email, user.id), me.language)
        return msgspec.structs.replace(me, pending_email=email)

    async def delete(self, identity: Identity) -> None:
        """Delete the account with all its data."""
        await self._recent_checks.require(identity)
        await self._accounts.delete(identity)

    async def confirm_again(self, identity: Identity) -> None:
        """Resend the mail for the address that is not confirmed yet."""
        user_id = int(identity.subject)
        await self._rate_limits.count_own_action(user_id)
        me = await self._accounts.me(identity)
        email = me.pending_email or (None if me.email_confirmed else me.email)
        if email is None:
            raise AppError(409, "nothing_to_confirm")
        await self._emails.put(MailLink("email", email, user_id), me.language)

    async def confirm(self, connection: Connection, token: str) -> SignInResult | None:
        """Confirm an address; return the new session if the link completes a sign-up."""
        await self._rate_limits.count_sign_up(connection)
        pending = await self._db.read(
            store_pending.find_link, hash_token(token), self._accounts.now
        )
        if pending is not None and pending.new is not None:
            await self._account_creation.check_invite(pending.new.invite)

        def work(tx: Tx) -> tuple[SignInResult | None, tuple[MailLink, User] | None]:
            link = store_pending.take_link(tx.conn, hash_token(token), self._accounts.now)
            if link is not None and link.new is not None:
                user = self._account_creation.create(tx, link.new)
                if user is not None:
                    return self._accounts.start_session(tx, connection, user), None
            elif link is not None and link.purpose == "email":
                return None, self._set_confirmed_email(tx, link)
            raise AppError(400, "link_invalid")

        try:
            entered, moved = await self._db.write(work)
        except AddressTaken:
            raise AppError(400, "link_invalid") from None
        if moved is not None and self._emails.ready:
            await self._emails.put(moved[0], moved[1].language)
        return entered

    def _set_confirmed_email(self, tx: Tx, link: MailLink) -> tuple[MailLink, User] | None:
        """Set the confirmed address; return the notification for the previous one, if any."""
        user = store.lock_user(tx.conn, link.user_id or 0)
        if user is None or not store.set_email(tx.conn, user.id, link.email, confirmed=True):
            raise AppError(400, "link_invalid")
        store_pending.remove_links(tx.conn, user.id)
        if user.email is None or not user.email_confirmed:
            return None
        if user.email_key == email_key(link.email):
            return None
        return MailLink("moved", user.email), user


def _changed_fields(wanted: MeChange) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if wanted.name is not msgspec.UNSET:
        values["name"] = tidy_name(wanted.name)
    if wanted.language is not msgspec.UNSET:
        values["language"] = wanted.language
    if wanted.units is not msgspec.UNSET:
        values["units"] = wanted.units
    return values


def _checked_email(user: User, wanted: str | None) -> str | None:
    if wanted is None and user.password_hash is not None:
        # Signing in with a password needs an address.
        raise AppError(409, "email_needed")
    return None if wanted is None else tidy_email(wanted)
