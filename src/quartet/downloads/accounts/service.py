import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from quartet.downloads.accounts import store
from quartet.downloads.accounts.types import AccountChange, AccountShown, NewAccount, StoredAccount
from quartet.downloads.events import Changed
from quartet.downloads.hosters.cookie_jars import CookieJars
from quartet.downloads.hosters.fetch_options import UsableAccount
from quartet.downloads.hosters.plugin import Plugin
from quartet.downloads.hosters.plugin_types import Account
from quartet.downloads.hosters.service import Plugins
from quartet.downloads.input_cleanup import clean_text
from quartet.downloads.packages.service import valid_id
from quartet.downloads.stats.types import PremiumTraffic
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError, Problem
from quartet.kernel.vault import Vault

USE = "account"

T = TypeVar("T")


class Accounts:
    """Stores hoster accounts. `wake_check` may be called from any thread."""

    def __init__(
        self,
        db: Database,
        vault: Vault,
        plugins: Plugins,
        cookie_jars: CookieJars,
        wake_check: Callable[[], None],
    ) -> None:
        self._db = db
        self._vault = vault
        self._plugins = plugins
        self._cookie_jars = cookie_jars
        self._wake_check = wake_check
        # Cached, because every download needs it; cleared on every change.
        self._usable: list[UsableAccount] | None = None
        self._changes = 0

    async def shown(self) -> list[AccountShown]:
        return [await self._show(stored) for stored in await self._db.read(store.all_accounts)]

    async def hosts(self) -> list[str]:
        """Return the hosts of all accounts."""
        return [each.host for each in await self.shown() if each.host]

    async def add(self, given: NewAccount, *, enabled: bool = True) -> int:
        plugin = await self._plugin(given.plugin_id)
        values = {
            "plugin_id": plugin.id,
            "user": clean_text(given.user),
            "secret": await self._encrypted(given.secret),
            "enabled": enabled,
            "status": _first_status(plugin),
        }
        return await self._write(lambda tx: store.add(tx.conn, values))

    async def change(self, id: int, given: AccountChange) -> None:
        values: dict[str, Any] = {}
        if given.enabled is not None:
            values["enabled"] = given.enabled
        if given.secret is not None:
            values["secret"] = await self._encrypted(given.secret)
        stored = await self._get(id)
        if given.user is not None and clean_text(given.user) != stored.user:
            values["user"] = clean_text(given.user)
        credentials_changed = bool(values.keys() & {"user", "secret"})
        if credentials_changed:
            values |= {"status": "checking", "error": None, "premium": None, "traffic_left": None}
            values["valid_until"] = None

        def work(tx: Tx) -> None:
            store.change(tx.conn, id, values)
            if credentials_changed:
                self._cookie_jars.discard(tx, stored.plugin_id, id)

        await self._write(work)

    async def remove(self, id: int) -> None:
        stored = await self._get(id)

        def work(tx: Tx) -> None:
            store.remove(tx.conn, id)
            self._cookie_jars.discard(tx, stored.plugin_id, id)

        await self._write(work)

    async def check(self, id: int) -> None:
        stored = await self._get(id)
        await self._plugin(stored.plugin_id)
        await self._write(lambda tx: store.change(tx.conn, id, {"status": "checking"}))

    async def usable(self) -> list[UsableAccount]:
        if self._usable is not None:
            return self._usable
        changes = self._changes
        found = await self._read_usable()
        if changes == self._changes:
            self._usable = found
        return found

    def clear_cache(self) -> None:
        """Clear the cache; may be called from any thread."""
        self._changes += 1
        self._usable = None

    async def _read_usable(self) -> list[UsableAccount]:
        rows = await self._db.read(store.usable)
        opened = await asyncio.to_thread(lambda: [self._decrypted(stored) for stored in rows])
        return [
            UsableAccount(stored.plugin_id, stored.premium, account)
            for stored, account in zip(rows, opened, strict=True)
            if account
        ]

    async def for_plugin(self, plugin_id: str) -> list[Account]:
        return [each.account for each in await self.usable() if each.plugin_id == plugin_id]

    async def mark_invalid(self, account_id: int, problem: Problem) -> None:
        """Mark an account that its hoster rejected as invalid."""
        values = {"status": "invalid", "error": problem}
        await self._write(lambda tx: store.change(tx.conn, account_id, values))

    async def premium(self) -> list[PremiumTraffic]:
        return await self._db.read(store.premium)

    def _decrypted(self, stored: StoredAccount) -> Account | None:
        try:
            secret = self._vault.decrypt(stored.secret, USE).decode()
        except AppError:
            return None
        return Account(stored.id, stored.user, secret)

    async def _encrypted(self, secret: str) -> bytes:
        if not secret.strip():
            raise AppError(400, "secret_missing")
        return await asyncio.to_thread(self._vault.encrypt, secret.strip().encode(), USE)

    async def _plugin(self, id: str) -> Plugin:
        plugin = await self._plugins.get(id)
        if plugin is None or plugin.declared.account is None:
            raise AppError(400, "plugin_without_accounts", plugin=id[:80])
        return plugin

    async def _get(self, id: int) -> StoredAccount:
        stored = await self._db.read(store.one, valid_id(id))
        if stored is None:
            raise AppError(404, "not_found", id=id)
        return stored

    async def _show(self, stored: StoredAccount) -> AccountShown:
        plugin = await self._plugins.get(stored.plugin_id)
        values = msgspec.structs.asdict(stored)
        del values["secret"]
        error = None if stored.error is None else msgspec.convert(stored.error, Problem)
        return AccountShown(
            **{**values, "error": error},
            plugin_name=plugin.name if plugin else None,
            host=_host(plugin),
        )

    async def _write(self, work: Callable[[Tx], T]) -> T:
        def emit_after(tx: Tx) -> T:
            result = work(tx)
            tx.emit(Changed("accounts"))
            tx.after_commit(self.clear_cache)
            tx.after_commit(self._wake_check)
            return result

        return await self._db.write(emit_after)


def _host(plugin: Plugin | None) -> str | None:
    return next(iter(plugin.declared.domains), None) if plugin else None


def _first_status(plugin: Plugin) -> str:
    return "checking" if plugin.can("check_account") else "unchecked"
