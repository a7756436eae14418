"""Passkeys: each is asked for in one step and answered in the next."""

import base64
import binascii
import secrets
from typing import Any, NamedTuple

from quartet.kernel.auth import hash_token, new_token
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection, Identity
from quartet.wind.accounts import protocol, store, store_passkeys, store_waiting
from quartet.wind.accounts.brakes import Brakes
from quartet.wind.accounts.joining import HANDLE_BYTES, Joining
from quartet.wind.accounts.service import Accounts, known
from quartet.wind.accounts.types import (
    Ceremony,
    Credential,
    Entered,
    Me,
    NewUser,
    PasskeyShown,
    PasskeySignUp,
    Registration,
)
from quartet.wind.accounts.words import tidy_name
from quartet.wind.languages import Language
from quartet.wind.settings import WindSettings

CEREMONY_SECONDS = 5 * 60
CHALLENGE_BYTES = 32
AT_MOST = 20


class Asked(NamedTuple):
    """What the browser shall ask its devices, and the token that binds the answer to it."""

    token: str
    options: dict[str, Any]


class Passkeys:
    def __init__(
        self,
        db: Database,
        accounts: Accounts,
        joining: Joining,
        brakes: Brakes,
        settings: WindSettings,
    ) -> None:
        self._db, self._accounts, self._joining = db, accounts, joining
        self._brakes, self._settings = brakes, settings

    async def begin_sign_up(
        self, connection: Connection, wanted: PasskeySignUp, language: Language
    ) -> Asked:
        await self._brakes.sign_up(connection)
        party = protocol.relying_party(self._settings, connection)
        new = NewUser(tidy_name(wanted.name), language, await self._joining.check(wanted.invite))
        handle, challenge = secrets.token_bytes(HANDLE_BYTES), _challenge()
        options = await protocol.creation_options(party, new.name, handle, challenge)
        return await self._ask(Ceremony("sign_up", challenge, handle, new), options)

    async def finish_sign_up(
        self, connection: Connection, token: str, given: Registration
    ) -> Entered:
        ceremony = await self._take(token, "sign_up")
        verified = await self._verified(connection, ceremony, given)
        new = ceremony.new

        def work(tx: Tx) -> Entered:
            user = self._joining.join(tx, new, ceremony.handle) if new else None
            if user is None:
                raise AppError(400, "challenge_expired")
            self._add(tx, user.id, verified, given.passkey_name)
            return self._accounts.enter(tx, connection, user)

        return await self._db.write(work)

    async def begin_sign_in(self, connection: Connection) -> Asked:
        await self._brakes.ceremony(connection)
        party, challenge = protocol.relying_party(self._settings, connection), _challenge()
        options = await protocol.request_options(party, challenge)
        return await self._ask(Ceremony("sign_in", challenge), options)

    async def finish_sign_in(
        self, connection: Connection, token: str, credential: Credential
    ) -> Entered:
        ceremony = await self._take(token, "sign_in")
        party = protocol.relying_party(self._settings, connection)
        response = credential.get("response")
        handle = _bytes(response.get("userHandle") if isinstance(response, dict) else None)
        own = _bytes(credential.get("id"))
        passkey = await self._db.read(store_passkeys.owned, own, handle)
        if passkey is None:
            raise AppError(401, "wrong_credentials")
        try:
            used = await protocol.verify_known(party, credential, ceremony.challenge, passkey)
        except AppError as error:
            raise AppError(401, "wrong_credentials") from error

        def work(tx: Tx) -> Entered:
            user = store.locked(tx.conn, passkey.user_id)
            changed = store_passkeys.change(
                tx.conn,
                passkey.user_id,
                passkey.id,
                sign_count=used.sign_count,
                backed_up=used.backed_up,
                last_used_at=self._accounts.now,
            )
            # Deleted while it was checked.
            if user is None or changed is None:
                raise AppError(401, "wrong_credentials")
            return self._accounts.enter(tx, connection, user)

        return await self._db.write(work)

    async def begin_adding(self, connection: Connection, identity: Identity) -> Asked:
        user_id = int(identity.subject)
        await self._brakes.ceremony(connection)
        party, challenge = protocol.relying_party(self._settings, connection), _challenge()
        user = known(await self._db.read(store.user, user_id))
        existing = await self._db.read(store_passkeys.of_user, user_id)
        if len(existing) >= AT_MOST:
            raise AppError(422, "too_many_passkeys", max=AT_MOST)
        options = await protocol.creation_options(
            party, user.email or user.name, user.handle, challenge, existing
        )
        return await self._ask(Ceremony("add", challenge, user_id=user_id), options)

    async def finish_adding(
        self, connection: Connection, identity: Identity, token: str, given: Registration
    ) -> Me:
        user_id = int(identity.subject)
        ceremony = await self._take(token, "add")
        if ceremony.user_id != user_id:
            raise AppError(400, "challenge_expired")
        verified = await self._verified(connection, ceremony, given)

        def work(tx: Tx) -> Me:
            known(store.locked(tx.conn, user_id))
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
            user = known(store.locked(tx.conn, user_id))
            if not store_passkeys.remove(tx.conn, user_id, passkey_id):
                raise AppError(404, "not_found")
            if user.password_hash is None and not store_passkeys.count(tx.conn, user_id):
                # Nobody could ever come in again.
                raise AppError(409, "last_passkey")

        await self._db.write(work)

    async def _ask(self, ceremony: Ceremony, options: dict[str, Any]) -> Asked:
        token, now = new_token(), self._accounts.now
        await self._db.write(
            lambda tx: store_waiting.add_ceremony(
                tx.conn, hash_token(token), ceremony, now, now + CEREMONY_SECONDS
            )
        )
        return Asked(token, options)

    async def _take(self, token: str, kind: str) -> Ceremony:
        """In a transaction of its own: a failing answer uses it up as well."""
        ceremony = await self._db.write(
            lambda tx: store_waiting.take_ceremony(tx.conn, hash_token(token), self._accounts.now)
        )
        if ceremony is None or ceremony.kind != kind:
            raise AppError(400, "challenge_expired")
        return ceremony

    async def _verified(
        self, connection: Connection, ceremony: Ceremony, given: Registration
    ) -> protocol.Verified:
        party = protocol.relying_party(self._settings, connection)
        return await protocol.verify_new(party, given.credential, ceremony.challenge)

    def _add(self, tx: Tx, user_id: int, passkey: protocol.Verified, name: str | None) -> None:
        values = passkey._asdict() | {
            "user_id": user_id,
            "name": tidy_name(name) if name else "",
            "created_at": self._accounts.now,
        }
        if not store_passkeys.add(tx.conn, values):
            raise AppError(409, "passkey_known")


def _challenge() -> bytes:
    return secrets.token_bytes(CHALLENGE_BYTES)


def _bytes(text: object) -> bytes:
    """Base64 of the web; what is none stands for nothing."""
    if not isinstance(text, str):
        return b""
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return b""
