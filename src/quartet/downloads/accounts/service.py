import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from quartet.downloads.accounts import store
from quartet.downloads.accounts.types import AccountChange, AccountShown, Kept, NewAccount
from quartet.downloads.events import Changed
from quartet.downloads.hosters.jars import Jars
from quartet.downloads.hosters.plugin import Plugin
from quartet.downloads.hosters.service import Plugins
from quartet.downloads.hosters.shapes import Account
from quartet.downloads.hosters.ways import UsableAccount
from quartet.downloads.packages.service import fits
from quartet.downloads.packages.typed import plain
from quartet.downloads.stats.types import PremiumTraffic
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError, Problem
from quartet.kernel.vault import Vault

USE = "account"

T = TypeVar("T")


class Accounts:
    """`wake_check` may be called from any thread."""

    def __init__(
        self,
        db: Database,
        vault: Vault,
        plugins: Plugins,
        jars: Jars,
        wake_check: Callable[[], None],
    ) -> None:
        self._db = db
        self._vault = vault
        self._plugins = plugins
        self._jars = jars
        self._wake_check = wake_check
        # Asked for with each download; forgotten with each change.
        self._usable: list[UsableAccount] | None = None
        self._changes = 0

    async def shown(self) -> list[AccountShown]:
        return [await self._show(kept) for kept in await self._db.read(store.all_accounts)]

    async def add(self, given: NewAccount) -> int:
        plugin = await self._plugin(given.plugin_id)
        values = {
            "plugin_id": plugin.id,
            "user": plain(given.user),
            "secret": await self._locked(given.secret),
            "enabled": True,
            "status": _first_status(plugin),
        }
        return await self._write(lambda tx: store.add(tx.conn, values))

    async def change(self, id: int, given: AccountChange) -> None:
        values: dict[str, Any] = {}
        if given.enabled is not None:
            values["enabled"] = given.enabled
        if given.secret is not None:
            values["secret"] = await self._locked(given.secret)
        kept = await self._existing(id)
        if given.user is not None and plain(given.user) != kept.user:
            values["user"] = plain(given.user)
        fresh = bool(values.keys() & {"user", "secret"})
        if fresh:
            values |= {"status": "checking", "error": None, "premium": None, "traffic_left": None}
            values["valid_until"] = None

        def work(tx: Tx) -> None:
            store.change(tx.conn, id, values)
            if fresh:
                self._jars.forget(tx, kept.plugin_id, id)

        await self._write(work)

    async def remove(self, id: int) -> None:
        kept = await self._existing(id)

        def work(tx: Tx) -> None:
            store.remove(tx.conn, id)
            self._jars.forget(tx, kept.plugin_id, id)

        await self._write(work)

    async def check(self, id: int) -> None:
        kept = await self._existing(id)
        await self._plugin(kept.plugin_id)
        await self._write(lambda tx: store.change(tx.conn, id, {"status": "checking"}))

    async def usable(self) -> list[UsableAccount]:
        if self._usable is not None:
            return self._usable
        changes = self._changes
        found = await self._read_usable()
        if changes == self._changes:
            self._usable = found
        return found

    def forget(self) -> None:
        """What is known about them is read anew; from any thread."""
        self._changes += 1
        self._usable = None

    async def _read_usable(self) -> list[UsableAccount]:
        rows = await self._db.read(store.usable)
        opened = await asyncio.to_thread(lambda: [self._opened(kept) for kept in rows])
        return [
            UsableAccount(kept.plugin_id, kept.premium, account)
            for kept, account in zip(rows, opened, strict=True)
            if account
        ]

    async def of(self, plugin_id: str) -> list[Account]:
        return [each.account for each in await self.usable() if each.plugin_id == plugin_id]

    async def refused(self, account_id: int, problem: Problem) -> None:
        """Its hoster does not accept it."""
        values = {"status": "invalid", "error": problem}
        await self._write(lambda tx: store.change(tx.conn, account_id, values))

    async def premium(self) -> list[PremiumTraffic]:
        return await self._db.read(store.premium)

    def _opened(self, kept: Kept) -> Account | None:
        try:
            secret = self._vault.decrypt(kept.secret, USE).decode()
        except AppError:
            return None
        return Account(kept.id, kept.user, secret)

    async def _locked(self, secret: str) -> bytes:
        if not secret.strip():
            raise AppError(400, "secret_missing")
        return await asyncio.to_thread(self._vault.encrypt, secret.strip().encode(), USE)

    async def _plugin(self, id: str) -> Plugin:
        plugin = await self._plugins.get(id)
        if plugin is None or plugin.declared.account is None:
            raise AppError(400, "plugin_without_accounts", plugin=id[:80])
        return plugin

    async def _existing(self, id: int) -> Kept:
        kept = await self._db.read(store.one, fits(id))
        if kept is None:
            raise AppError(404, "not_found", id=id)
        return kept

    async def _show(self, kept: Kept) -> AccountShown:
        plugin = await self._plugins.get(kept.plugin_id)
        values = msgspec.structs.asdict(kept)
        del values["secret"]
        error = None if kept.error is None else msgspec.convert(kept.error, Problem)
        return AccountShown(
            **{**values, "error": error}, plugin_name=plugin.name if plugin else None
        )

    async def _write(self, work: Callable[[Tx], T]) -> T:
        def with_news(tx: Tx) -> T:
            result = work(tx)
            tx.emit(Changed("accounts"))
            tx.after_commit(self.forget)
            tx.after_commit(self._wake_check)
            return result

        return await self._db.write(with_news)


def _first_status(plugin: Plugin) -> str:
    return "checking" if plugin.can("check_account") else "unchecked"
