"""Recovery codes: single-use codes that sign in when all passkeys are lost."""

import logging
import secrets

from quartet.kernel.auth import hash_token
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection, Identity
from quartet.wind.accounts import store, store_recovery
from quartet.wind.accounts.rate_limits import RateLimits
from quartet.wind.accounts.recent_checks import RecentChecks
from quartet.wind.accounts.service import Accounts, require_account
from quartet.wind.accounts.types import RecoveryCodes, SignInResult

log = logging.getLogger("quartet.wind.accounts")

COUNT = 10
_GROUPS, _GROUP_LENGTH = 4, 4
# Without characters that look alike.
_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"


class RecoveryCodeLogin:
    """Codes have 79 random bits, so a plain hash is enough to store them, and a code identifies its
    account.
    """

    def __init__(
        self,
        db: Database,
        accounts: Accounts,
        recent_checks: RecentChecks,
        rate_limits: RateLimits,
    ) -> None:
        self._db, self._accounts = db, accounts
        self._recent_checks, self._rate_limits = recent_checks, rate_limits

    async def make(self, identity: Identity) -> RecoveryCodes:
        """Create new codes, which replace the old ones and are shown only now."""
        user_id = int(identity.subject)
        await self._rate_limits.count_own_action(user_id)
        await self._recent_checks.require(identity)
        codes = [_new_code() for _ in range(COUNT)]

        def work(tx: Tx) -> None:
            require_account(store.lock_user(tx.conn, user_id))
            hashes = [_hash(code) for code in codes]
            store_recovery.replace(tx.conn, user_id, hashes, self._accounts.now)
            tx.after_commit(lambda: log.info("account %d: new recovery codes", user_id))

        await self._db.write(work)
        return RecoveryCodes(codes)

    async def sign_in(self, connection: Connection, code: str) -> SignInResult:
        await self._rate_limits.count_recovery_attempt(connection)

        def work(tx: Tx) -> SignInResult:
            owner = store_recovery.use(tx.conn, _hash(code), self._accounts.now)
            user = store.lock_user(tx.conn, owner) if owner is not None else None
            if user is None:
                raise AppError(401, "wrong_credentials")
            left = store_recovery.left(tx.conn, user.id)
            tx.after_commit(
                lambda: log.info("account %d: recovery code used, %d left", user.id, left)
            )
            return self._accounts.start_session(tx, connection, user)

        return await self._db.write(work)


def _new_code() -> str:
    groups = (
        "".join(secrets.choice(_ALPHABET) for _ in range(_GROUP_LENGTH)) for _ in range(_GROUPS)
    )
    return "-".join(groups)


def _hash(code: str) -> str:
    """Hash a code regardless of how its groups are written."""
    return hash_token("".join(each for each in code.lower() if each in _ALPHABET))
