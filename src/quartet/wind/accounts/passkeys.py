"""Passkeys: every ceremony consists of a begin and a finish step."""

import base64
import binascii
import secrets
from typing import Any, NamedTuple

from quartet.kernel.auth import hash_token, new_token
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection, Identity
from quartet.wind.accounts import store, store_passkeys, store_pending, webauthn_adapter
from quartet.wind.accounts.account_creation import HANDLE_BYTES, AccountCreation
from quartet.wind.accounts.input_cleanup import tidy_name
from quartet.wind.accounts.rate_limits import RateLimits
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
)
from quartet.wind.languages import Language
from quartet.wind.settings import WindSettings

CEREMONY_SECONDS = 5 * 60
CHALLENGE_BYTES = 32
AT_MOST = 20


class BegunCeremony(NamedTuple):
    """The options for the browser, and the token that ties its response to this ceremony."""

    token: str
    options: dict[str, Any]


class Passkeys:
    def __init__(
        self,
        db: Database,
        accounts: Accounts,
        account_creation: AccountCreation,
        rate_limits: RateLimits,
        settings: WindSettings,
    ) -> None:
        self._db, self._accounts, self._account_creation = db, accounts, account_creation
        self._rate_limits, self._settings = rate_limits, settings

    async def begin_sign_up(
        self, connection: Connection, wanted: PasskeySignUp, language: Language
    ) -> BegunCeremony:
        await self._rate_limits.count_sign_up(connection)
        party = webauthn_adapter.relying_party(self._settings, connection)
        new = NewUser(
            tidy_name(wanted.name), language, await self._account_creation.check(wanted.invite)
        )
        handle, challenge = secrets.token_bytes(HANDLE_BYTES), _challenge()
        options = await webauthn_adapter.creation_options(party, new.name, handle, challenge)
        return await self._begin(Ceremony("sign_up", challenge, handle, new), options)

    async def finish_sign_up(
        self, connection: Connection, token: str, given: Registration
    ) -> SignInResult:
        ceremony = await self._take_ceremony(token, "sign_up")
        new = ceremony.new
        await self._account_creation.check_invite(new.invite if new else None)
        verified = await self._verified(connection, ceremony, given)

        def work(tx: Tx) -> SignInResult:
            user = self._account_creation.create(tx, new, ceremony.handle) if new else None
            if user is None:
                raise AppError(400, "challenge_expired")
            self._add(tx, user.id, verified, given.passkey_name)
            return self._accounts.start_session(tx, connection, user)

        return await self._db.write(work)

    async def begin_sign_in(self, connection: Connection) -> BegunCeremony:
        await self._rate_limits.count_ceremony(connection)
        party, challenge = webauthn_adapter.relying_party(self._settings, connection), _challenge()
        options = await webauthn_adapter.request_options(party, challenge)
        return await self._begin(Ceremony("sign_in", challenge), options)

    async def finish_sign_in(
        self, connection: Connection, token: str, credential: Credential
    ) -> SignInResult:
        ceremony = await self._take_ceremony(token, "sign_in")
        party = webauthn_adapter.relying_party(self._settings, connection)
        response = credential.get("response")
        handle = _decode(response.get("userHandle") if isinstance(response, dict) else None)
        own = _decode(credential.get("id"))
        passkey = await self._db.read(store_passkeys.owned, own, handle)
        if passkey is None:
            raise AppError(401, "wrong_credentials")
        try:
            used = await webauthn_adapter.verify_known(
                party, credential, ceremony.challenge, passkey
            )
        except AppError as error:
            raise AppError(401, "wrong_credentials") from error

        def work(tx: Tx) -> SignInResult:
            user = store.lock_user(tx.conn, passkey.user_id)
            changed = store_passkeys.change(
                tx.conn,
                passkey.user_id,
                passkey.id,
                sign_count=used.sign_count,
                backed_up=used.backed_up,
                last_used_at=self._accounts.now,
            )
            # The passkey or the account was deleted during the check.
            if user is None or changed is None:
                raise AppError(401, "wrong_credentials")
            return self._accounts.start_session(tx, connection, user)

        return await self._db.write(work)

    async def begin_adding(self, connection: Connection, identity: Identity) -> BegunCeremony:
        user_id = int(identity.subject)
        await self._rate_limits.count_ceremony(connection)
        party, challenge = webauthn_adapter.relying_party(self._settings, connection), _challenge()
        user = require_account(await self._db.read(store.user, user_id))
        existing = await self._db.read(store_passkeys.of_user, user_id)
        if len(existing) >= AT_MOST:
            raise AppError(422, "too_many_passkeys", max=AT_MOST)
        options = await webauthn_adapter.creation_options(
            party, user.email or user.name, user.handle, challenge, existing
        )
        return await self._begin(Ceremony("add", challenge, user_id=user_id), options)

    async def finish_adding(
        self, connection: Connection, identity: Identity, token: str, given: Registration
    ) -> Me:
        user_id = int(identity.subject)
        ceremony = await self._take_ceremony(token, "add")
        if ceremony.user_id != user_id:
            raise AppError(400, "challenge_expired")
        verified = await self._verified(connection, ceremony, given)

        def work(tx: Tx) -> Me:
            require_account(store.lock_user(tx.conn, user_id))
            if store_passkeys.count(tx.conn, user_id) >= AT_MOST:
                raise AppError(422, "too_many_passkeys", max=AT_MOST)
            self._add(tx, user_id, verified, given.passkey_name)
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

    async def delete(self, user_id: int, passkey_id: int) -> None:
        def work(tx: Tx) -> None:
            user = require_account(store.lock_user(tx.conn, user_id))
            if not store_passkeys.remove(tx.conn, user_id, passkey_id):
                raise AppError(404, "not_found")
            if user.password_hash is None and not store_passkeys.count(tx.conn, user_id):
                # The account would have no way to sign in.
                raise AppError(409, "last_passkey")

        await self._db.write(work)

    async def _begin(self, ceremony: Ceremony, options: dict[str, Any]) -> BegunCeremony:
        token, now = new_token(), self._accounts.now
        await self._db.write(
            lambda tx: store_pending.add_ceremony(
                tx.conn, hash_token(token), ceremony, now, now + CEREMONY_SECONDS
            )
        )
        return BegunCeremony(token, options)

    async def _take_ceremony(self, token: str, kind: str) -> Ceremony:
        """Use up the ceremony in its own transaction, so that a failed response does so too."""
        ceremony = await self._db.write(
            lambda tx: store_pending.take_ceremony(tx.conn, hash_token(token), self._accounts.now)
        )
        if ceremony is None or ceremony.kind != kind:
            raise AppError(400, "challenge_expired")
        return ceremony

    async def _verified(
        self, connection: Connection, ceremony: Ceremony, given: Registration
    ) -> webauthn_adapter.VerifiedPasskey:
        party = webauthn_adapter.relying_party(self._settings, connection)
        return await webauthn_adapter.verify_new(party, given.credential, ceremony.challenge)

    def _add(
        self, tx: Tx, user_id: int, passkey: webauthn_adapter.VerifiedPasskey, name: str | None
    ) -> None:
        values = passkey._asdict() | {
            "user_id": user_id,
            "name": tidy_name(name) if name else "",
            "created_at": self._accounts.now,
        }
        if not store_passkeys.add(tx.conn, values):
            raise AppError(409, "passkey_known")


def _challenge() -> bytes:
    return secrets.token_bytes(CHALLENGE_BYTES)


def _decode(text: object) -> bytes:
    """Decode base64url; return b"" if it is invalid."""
    if not isinstance(text, str):
        return b""
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return b""
