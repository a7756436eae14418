"""Passkey ceremonies: what the device has to sign, and what it has signed."""

import base64
import binascii
import secrets
from typing import Any, NamedTuple

from quartet.kernel.auth import hash_token, new_token
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection
from quartet.wind.accounts import store_passkeys, store_pending, webauthn_adapter
from quartet.wind.accounts.input_cleanup import tidy_name
from quartet.wind.accounts.service import Accounts
from quartet.wind.accounts.types import Ceremony, Credential, Passkey, Registration
from quartet.wind.settings import WindSettings

CEREMONY_SECONDS = 5 * 60
CHALLENGE_BYTES = 32


class BegunCeremony(NamedTuple):
    """The options for the browser, and the token that ties its response to this ceremony."""

    token: str
    options: dict[str, Any]


class ProvedPasskey(NamedTuple):
    """A passkey that has just signed a challenge."""

    passkey: Passkey
    used: webauthn_adapter.PasskeyUse


class Ceremonies:
    def __init__(self, db: Database, accounts: Accounts, settings: WindSettings) -> None:
        self._db, self._accounts, self._settings = db, accounts, settings

    def party(self, connection: Connection) -> webauthn_adapter.RelyingParty:
        return webauthn_adapter.relying_party(self._settings, connection)

    async def begin(self, ceremony: Ceremony, options: dict[str, Any]) -> BegunCeremony:
        token, now = new_token(), self._accounts.now
        await self._db.write(
            lambda tx: store_pending.add_ceremony(
                tx.conn, hash_token(token), ceremony, now, now + CEREMONY_SECONDS
            )
        )
        return BegunCeremony(token, options)

    async def take(self, token: str, kind: str) -> Ceremony:
        """End the ceremony in its own transaction, so that it cannot be used after a failure."""
        ceremony = await self._db.write(
            lambda tx: store_pending.take_ceremony(tx.conn, hash_token(token), self._accounts.now)
        )
        if ceremony is None or ceremony.kind != kind:
            raise AppError(400, "challenge_expired")
        return ceremony

    async def verify_new(
        self, connection: Connection, ceremony: Ceremony, given: Registration
    ) -> webauthn_adapter.VerifiedPasskey:
        return await webauthn_adapter.verify_new(
            self.party(connection), given.credential, ceremony.challenge
        )

    async def verify_known(
        self, connection: Connection, ceremony: Ceremony, credential: Credential
    ) -> ProvedPasskey:
        """Verify the response of a device that has a passkey of some account."""
        response = credential.get("response")
        handle = _decode(response.get("userHandle") if isinstance(response, dict) else None)
        passkey = await self._db.read(store_passkeys.owned, _decode(credential.get("id")), handle)
        if passkey is None:
            raise AppError(401, "wrong_credentials")
        try:
            used = await webauthn_adapter.verify_known(
                self.party(connection), credential, ceremony.challenge, passkey
            )
        except AppError as error:
            raise AppError(401, "wrong_credentials") from error
        return ProvedPasskey(passkey, used)

    def note_use(self, tx: Tx, proved: ProvedPasskey) -> bool:
        """Store the new counter; return False if the passkey was deleted during the check."""
        passkey, used = proved
        changed = store_passkeys.change(
            tx.conn,
            passkey.user_id,
            passkey.id,
            sign_count=used.sign_count,
            backed_up=used.backed_up,
            last_used_at=self._accounts.now,
        )
        return changed is not None

    def add(
        self, tx: Tx, user_id: int, passkey: webauthn_adapter.VerifiedPasskey, name: str | None
    ) -> None:
        values = passkey._asdict() | {
            "user_id": user_id,
            "name": tidy_name(name) if name else "",
            "created_at": self._accounts.now,
        }
        if not store_passkeys.add(tx.conn, values):
            raise AppError(409, "passkey_known")


def new_challenge() -> bytes:
    return secrets.token_bytes(CHALLENGE_BYTES)


def _decode(text: object) -> bytes:
    """Decode base64url; return b"" if it is invalid."""
    if not isinstance(text, str):
        return b""
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return b""
