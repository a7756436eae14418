"""Passkeys: every ceremony consists of a begin and a finish step."""

import secrets

from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection, Identity
from quartet.wind.accounts import store, store_passkeys, webauthn_adapter
from quartet.wind.accounts.account_creation import HANDLE_BYTES, AccountCreation
from quartet.wind.accounts.ceremonies import BegunCeremony, Ceremonies, new_challenge
from quartet.wind.accounts.input_cleanup import tidy_name
from quartet.wind.accounts.rate_limits import RateLimits
from quartet.wind.accounts.recent_checks import RecentChecks
from quartet.wind.accounts.service import Accounts, require_account
from quartet.wind.accounts.types import (
    Ceremony,
    Credential,
    Me,
    NewUser,
    PasskeyShown,
    PasskeySignUp,
    Registration,
    SignInResult,
    User,
)
from quartet.wind.languages import Language

AT_MOST = 20


class Passkeys:
    def __init__(
        self,
        db: Database,
        accounts: Accounts,
        account_creation: AccountCreation,
        ceremonies: Ceremonies,
        recent_checks: RecentChecks,
        rate_limits: RateLimits,
    ) -> None:
        self._db, self._accounts, self._account_creation = db, accounts, account_creation
        self._ceremonies, self._recent_checks = ceremonies, recent_checks
        self._rate_limits = rate_limits

    async def begin_sign_up(
        self, connection: Connection, wanted: PasskeySignUp, language: Language
    ) -> BegunCeremony:
        await self._rate_limits.count_sign_up(connection)
        party = self._ceremonies.party(connection)
        new = NewUser(
            tidy_name(wanted.name), language, await self._account_creation.check(wanted.invite)
        )
        handle, challenge = secrets.token_bytes(HANDLE_BYTES), new_challenge()
        options = await webauthn_adapter.creation_options(party, new.name, handle, challenge)
        return await self._ceremonies.begin(Ceremony("sign_up", challenge, handle, new), options)

    async def finish_sign_up(
        self, connection: Connection, token: str, given: Registration
    ) -> SignInResult:
        ceremony = await self._ceremonies.take(token, "sign_up")
        new = ceremony.new
        await self._account_creation.check_invite(new.invite if new else None)
        verified = await self._ceremonies.verify_new(connection, ceremony, given)

        def work(tx: Tx) -> SignInResult:
            user = self._account_creation.create(tx, new, ceremony.handle) if new else None
            if user is None:
                raise AppError(400, "challenge_expired")
            self._ceremonies.add(tx, user.id, verified, given.passkey_name)
            return self._accounts.start_session(tx, connection, user)

        return await self._db.write(work)

    async def begin_sign_in(self, connection: Connection) -> BegunCeremony:
        await self._rate_limits.count_ceremony(connection)
        party, challenge = self._ceremonies.party(connection), new_challenge()
        options = await webauthn_adapter.request_options(party, challenge)
        return await self._ceremonies.begin(Ceremony("sign_in", challenge), options)

    async def finish_sign_in(
        self, connection: Connection, token: str, credential: Credential
    ) -> SignInResult:
        ceremony = await self._ceremonies.take(token, "sign_in")
        proved = await self._ceremonies.verify_known(connection, ceremony, credential)

        def work(tx: Tx) -> SignInResult:
            user = store.lock_user(tx.conn, proved.passkey.user_id)
            # The passkey or the account was deleted during the check.
            if not self._ceremonies.note_use(tx, proved) or user is None:
                raise AppError(401, "wrong_credentials")
            return self._accounts.start_session(tx, connection, user)

        return await self._db.write(work)

    async def begin_adding(self, connection: Connection, identity: Identity) -> BegunCeremony:
        user_id = int(identity.subject)
        await self._rate_limits.count_ceremony(connection)
        await self._recent_checks.require(identity)
        user = require_account(await self._db.read(store.user, user_id))
        return await self.begin_creation(
            connection, user, Ceremony("add", new_challenge(), user_id=user_id)
        )

    async def begin_creation(
        self, connection: Connection, user: User, ceremony: Ceremony
    ) -> BegunCeremony:
        """Start creating a passkey for an existing account."""
        existing = await self._db.read(store_passkeys.of_user, user.id)
        if len(existing) >= AT_MOST:
            raise AppError(422, "too_many_passkeys", max=AT_MOST)
        options = await webauthn_adapter.creation_options(
            self._ceremonies.party(connection),
            user.email or user.name,
            user.handle,
            ceremony.challenge,
            existing,
        )
        return await self._ceremonies.begin(ceremony, options)

    async def finish_adding(
        self, connection: Connection, identity: Identity, token: str, given: Registration
    ) -> Me:
        user_id = int(identity.subject)
        ceremony = await self._ceremonies.take(token, "add")
        if ceremony.user_id != user_id:
            raise AppError(400, "challenge_expired")
        verified = await self._ceremonies.verify_new(connection, ceremony, given)

        def work(tx: Tx) -> Me:
            require_account(store.lock_user(tx.conn, user_id))
            if store_passkeys.count(tx.conn, user_id) >= AT_MOST:
                raise AppError(422, "too_many_passkeys", max=AT_MOST)
            self._ceremonies.add(tx, user_id, verified, given.passkey_name)
            return self._accounts.shown(tx, user_id, identity.session)

        return await self._db.write(work)

    async def rename(self, user_id: int, passkey_id: int, name: str) -> PasskeyShown:
        name = tidy_name(name)
        passkey = await self._db.write(
            lambda tx: store_passkeys.change(tx.conn, user_id, passkey_id, name=name)
        )
        if passkey is None:
            raise AppError(404, "not_found")
        return passkey.shown()

    async def delete(self, identity: Identity, passkey_id: int) -> None:
        user_id = int(identity.subject)
        await self._recent_checks.require(identity)

        def work(tx: Tx) -> None:
            user = require_account(store.lock_user(tx.conn, user_id))
            if not store_passkeys.remove(tx.conn, user_id, passkey_id):
                raise AppError(404, "not_found")
            if user.password_hash is None and not store_passkeys.count(tx.conn, user_id):
                # The account would have no way to sign in.
                raise AppError(409, "last_passkey")

        await self._db.write(work)
