"""Account management by admins."""

import time
from collections.abc import Awaitable, Callable
from typing import Any

from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.wind.accounts import store, store_passkeys
from quartet.wind.accounts.account_deletion import delete_account, require_other_admin
from quartet.wind.accounts.service import Accounts
from quartet.wind.accounts.types import Role, UserPage, UserShown

PAGE = 200

# Returns everything a feature stores about one user, as JSON.
Export = Callable[[int], Awaitable[Any]]


class Users:
    """Accounts for admins; every feature with personal data adds its export to `exports`."""

    def __init__(
        self, db: Database, accounts: Accounts, clock: Callable[[], float] = time.time
    ) -> None:
        self._db, self._accounts, self._clock = db, accounts, clock
        self.exports: dict[str, Export] = {}

    async def list(self, search: str = "", offset: int = 0, limit: int = 50) -> UserPage:
        search, offset, limit = (
            search.replace("\0", "").strip()[:200],
            max(0, offset),
            min(max(1, limit), PAGE),
        )
        users = await self._db.read(store.page, search, offset, limit)
        return UserPage(users, await self._db.read(store.count, search))

    async def get(self, user_id: int) -> UserShown:
        return _found(await self._db.read(store.shown, user_id))

    async def set_role(self, user_id: int, role: Role) -> UserShown:
        def work(tx: Tx) -> UserShown | None:
            if role != "admin":
                require_other_admin(tx, user_id)
            store.change(tx.conn, user_id, role=role)
            return store.shown(tx.conn, user_id)

        return _found(await self._db.write(work))

    async def disable(self, user_id: int) -> UserShown:
        """Disable the account without deleting its data, and end its sessions."""

        def work(tx: Tx) -> UserShown | None:
            require_other_admin(tx, user_id)
            store.change(tx.conn, user_id, disabled=True)
            self._accounts.end_sessions(tx, user_id)
            return store.shown(tx.conn, user_id)

        return _found(await self._db.write(work))

    async def enable(self, user_id: int) -> UserShown:
        return await self._change(user_id, disabled=False)

    async def sign_out(self, user_id: int) -> UserShown:
        """End all sessions of the user."""

        def work(tx: Tx) -> UserShown | None:
            self._accounts.end_sessions(tx, user_id)
            return store.shown(tx.conn, user_id)

        return _found(await self._db.write(work))

    async def confirm_email(self, user_id: int) -> UserShown:
        """Confirm the address on behalf of a user who did not get the mail."""
        if (await self.get(user_id)).email is None:
            raise AppError(409, "email_needed")
        return await self._change(user_id, email_confirmed=True)

    async def delete(self, user_id: int) -> None:
        await self.get(user_id)
        await self._db.write(lambda tx: delete_account(tx, self._accounts.sessions, user_id))

    async def export(self, user_id: int) -> dict[str, Any]:
        """Return all data about the user, without secrets or their hashes."""
        account = await self.get(user_id)
        passkeys = await self._db.read(store_passkeys.of_user, user_id)
        sessions = await self._db.read(store.sessions_of, user_id, int(self._clock()))
        return {
            "account": account,
            "passkeys": [each.shown() for each in passkeys],
            "sessions": [
                {
                    "createdAt": each.created_at,
                    "expiresAt": each.expires_at,
                    "seenAt": each.seen_at,
                    "address": each.address,
                    "device": each.device,
                }
                for each in sessions
            ],
            **{name: await export(user_id) for name, export in self.exports.items()},
        }

    async def _change(self, user_id: int, **values: Any) -> UserShown:
        def work(tx: Tx) -> UserShown | None:
            store.change(tx.conn, user_id, **values)
            return store.shown(tx.conn, user_id)

        return _found(await self._db.write(work))


def _found(user: UserShown | None) -> UserShown:
    if user is None:
        raise AppError(404, "not_found")
    return user
