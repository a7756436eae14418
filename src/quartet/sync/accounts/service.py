import logging
import time

from quartet.kernel.auth import Passwords, Sessions, Throttle, check_password_rules
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Identity
from quartet.sync.accounts import store
from quartet.sync.accounts.types import (
    FIRST_ADMIN,
    Account,
    AccountChange,
    NewAccount,
    PasswordChange,
    Role,
    ShownAccount,
    View,
)
from quartet.sync.config.types.revisions import Config

log = logging.getLogger("quartet.sync.accounts")

MOST_ACCOUNTS = 500
# The command line and other servers may change accounts as well.
FRESH_SECONDS = 5.0


class Accounts:
    """People with a role; those without the role "admin" see the folders of their devices."""

    def __init__(
        self, db: Database, passwords: Passwords, sessions: Sessions, throttle: Throttle
    ) -> None:
        self._db = db
        # Limits how often wrong passwords can be tried.
        self._throttle = throttle
        self._passwords = passwords
        self._sessions = sessions
        self._known: dict[str, Account] = {}
        self._read_at = float("-inf")

    async def refresh(self) -> None:
        """Read the accounts again if they were read too long ago."""
        if time.monotonic() - self._read_at > FRESH_SECONDS:
            self._known = await self._db.read(store.load_all)
            self._read_at = time.monotonic()

    def role(self, name: str) -> Role | None:
        """Return the role; None if the account has been removed."""
        if name == FIRST_ADMIN:
            return "admin"
        account = self._known.get(name)
        return account.role if account else None

    def is_connected(self, name: str) -> bool:
        """Return whether the person has signed in with the provider."""
        account = self._known.get(name)
        return account is not None and account.identity is not None

    def has_password(self, name: str) -> bool:
        account = self._known.get(name)
        return account is None or account.has_password

    def view(self, name: str, config: Config) -> View | None:
        """Return what the person sees; None means everything."""
        if self.role(name) == "admin":
            return None
        account = self._known.get(name)
        devices = (account.devices if account else frozenset()) & config.devices.keys()
        folders = {
            share.folder_id
            for device_id in devices
            for share in config.shares_of.get(device_id, [])
        }
        return View(frozenset(devices), frozenset(folders))

    async def any_exist(self) -> bool:
        return bool(await self._db.read(store.load_all))

    async def page(self) -> list[ShownAccount]:
        return [_shown(each) for each in (await self._db.read(store.load_all)).values()]

    async def add(self, given: NewAccount) -> ShownAccount:
        hashed = store.NO_PASSWORD
        if given.password is not None:
            check_password_rules(given.password)
            hashed = await self._passwords.hash(given.password)
        await self._db.write(lambda tx: add_account(tx, given, hashed))
        return await self.reload(given.name)

    def add_now(self, given: NewAccount) -> None:
        """Add an account from the command line, or set its role and password if it exists."""
        password = given.password or ""
        check_password_rules(password)
        hashed = self._passwords.hash_now(password)

        def work(tx: Tx) -> None:
            if given.name in store.load_all(tx.conn):
                store.change(tx.conn, given.name, {"role": given.role, "password_hash": hashed})
                store.withdraw_invitation(tx.conn, given.name)
                self._sessions.end_all(tx, given.name)
            else:
                add_account(tx, given, hashed)

        self._db.write_sync(work)

    async def change(self, name: str, given: AccountChange) -> ShownAccount:
        values: dict[str, str] = {"role": given.role} if given.role else {}
        if given.password is not None:
            check_password_rules(given.password)
            values["password_hash"] = await self._passwords.hash(given.password)

        def work(tx: Tx) -> None:
            before = store.load_all(tx.conn).get(name)
            if before is None:
                raise AppError(404, "account_not_found", account=name)
            if values:
                store.change(tx.conn, name, values)
            if given.devices is not None:
                store.assign(tx.conn, name, given.devices)
            if given.password is not None:
                store.withdraw_invitation(tx.conn, name)
            # The browsers of an admin get messages about everything until their sessions end.
            demoted = before.role == "admin" and given.role not in (None, "admin")
            if given.password is not None or demoted:
                self._sessions.end_all(tx, name)

        await self._db.write(work)
        return await self.reload(name)

    async def change_password(self, client: str, identity: Identity, given: PasswordChange) -> None:
        """Let a person change the own password, and end the other sessions."""
        name = identity.subject
        if name == FIRST_ADMIN:
            raise AppError(409, "first_admin_password")
        # Counted first, so that parallel guesses count too.
        await self._throttle.attempt(client)
        stored = await self._db.read(store.password_hash, name)
        if not await self._passwords.verify(stored, given.current):
            raise AppError(403, "wrong_current_password")
        await self._throttle.passed(client)
        check_password_rules(given.password)
        hashed = await self._passwords.hash(given.password)

        def work(tx: Tx) -> None:
            if store.lock_password_hash(tx.conn, name) != stored:
                raise AppError(403, "wrong_current_password")
            store.change(tx.conn, name, {"password_hash": hashed})
            self._sessions.end_all(tx, name, keep=identity.session)

        await self._db.write(work)

    async def remove(self, name: str) -> None:
        def work(tx: Tx) -> None:
            if not store.remove(tx.conn, name):
                raise AppError(404, "account_not_found", account=name)
            self._sessions.end_all(tx, name)

        await self._db.write(work)
        self._known.pop(name, None)
        log.info("account %s removed", name)

    async def reload(self, name: str) -> ShownAccount:
        """Read the accounts again after a change, and return the changed one."""
        self._read_at = float("-inf")
        await self.refresh()
        account = self._known.get(name)
        if account is None:
            raise AppError(404, "account_not_found", account=name)
        log.info("account %s saved: %s, %d devices", name, account.role, len(account.devices))
        return _shown(account)


def add_account(tx: Tx, given: NewAccount, hashed: str) -> None:
    known = store.load_all(tx.conn)
    if given.name == FIRST_ADMIN or given.name in known:
        raise AppError(409, "account_taken", account=given.name)
    if len(known) >= MOST_ACCOUNTS:
        raise AppError(422, "too_many_accounts", max=MOST_ACCOUNTS)
    row = {"name": given.name, "role": given.role, "password_hash": hashed}
    store.add(tx.conn, {**row, "created_at": int(time.time())})
    store.assign(tx.conn, given.name, given.devices)


def _shown(account: Account) -> ShownAccount:
    return ShownAccount(
        account.name,
        account.role,
        sorted(account.devices),
        account.created_at,
        account.has_password,
        account.identity is not None,
        account.identity is not None and account.identity.follows_groups,
        account.invited_until,
    )
