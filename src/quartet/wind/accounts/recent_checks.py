"""Recent checks: important changes need a password or passkey from the last minutes.

A stolen or unattended session can then not be turned into a lasting takeover of the account.
"""

from quartet.kernel.auth import Passwords
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection, Identity
from quartet.wind.accounts import store, store_sessions, webauthn_adapter
from quartet.wind.accounts.ceremonies import BegunCeremony, Ceremonies, new_challenge
from quartet.wind.accounts.rate_limits import RateLimits
from quartet.wind.accounts.service import Accounts, require_account
from quartet.wind.accounts.types import Ceremony, Credential

RECENT_SECONDS = 10 * 60


class RecentChecks:
    def __init__(
        self,
        db: Database,
        accounts: Accounts,
        ceremonies: Ceremonies,
        passwords: Passwords,
        rate_limits: RateLimits,
    ) -> None:
        self._db, self._accounts, self._ceremonies = db, accounts, ceremonies
        self._passwords, self._rate_limits = passwords, rate_limits

    async def require(self, identity: Identity) -> None:
        """Raise `recent_check_required` if the session has not been checked recently.

        Signing in is a check too.
        """
        at = await self._db.read(store_sessions.checked_at, identity.session or "")
        if at is None or self._accounts.now - at > RECENT_SECONDS:
            raise AppError(403, "recent_check_required", minutes=RECENT_SECONDS // 60)

    async def by_password(self, identity: Identity, password: str) -> None:
        user = require_account(await self._db.read(store.user, int(identity.subject)))
        await self._rate_limits.count_own_action(user.id)
        if not await self._passwords.verify(user.password_hash, password):
            raise AppError(403, "wrong_password")
        await self._db.write(self._note, identity)

    async def begin_passkey(self, connection: Connection, identity: Identity) -> BegunCeremony:
        await self._rate_limits.count_ceremony(connection)
        challenge = new_challenge()
        options = await webauthn_adapter.request_options(
            self._ceremonies.party(connection), challenge
        )
        ceremony = Ceremony("check", challenge, user_id=int(identity.subject))
        return await self._ceremonies.begin(ceremony, options)

    async def finish_passkey(
        self, connection: Connection, identity: Identity, token: str, credential: Credential
    ) -> None:
        ceremony = await self._ceremonies.take(token, "check")
        try:
            proved = await self._ceremonies.verify_known(connection, ceremony, credential)
        except AppError as error:
            # The session is still valid, so it is no failed sign-in.
            raise AppError(403, "wrong_passkey") from error
        own = int(identity.subject) == ceremony.user_id == proved.passkey.user_id

        def work(tx: Tx) -> None:
            # Somebody else's passkey, or it was deleted during the check.
            if not own or not self._ceremonies.note_use(tx, proved):
                raise AppError(403, "wrong_passkey")
            self._note(tx, identity)

        await self._db.write(work)

    def _note(self, tx: Tx, identity: Identity) -> None:
        store_sessions.note_check(tx.conn, identity.session or "", self._accounts.now)
