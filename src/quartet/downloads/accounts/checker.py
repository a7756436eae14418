"""Checks hoster accounts."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from quartet.downloads.accounts import store
from quartet.downloads.accounts.service import USE
from quartet.downloads.accounts.types import StoredAccount
from quartet.downloads.events import Changed
from quartet.downloads.hosters.calls import PluginCalls
from quartet.downloads.hosters.errors import AccountProblem, PluginError
from quartet.downloads.hosters.plugin import Plugin
from quartet.downloads.hosters.plugin_types import Account, AccountState
from quartet.downloads.hosters.results import plugin_message
from quartet.downloads.hosters.service import Plugins
from quartet.kernel.clock import now_ms
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.kernel.vault import Vault

STALE_SECONDS = 6 * 3600


class AccountChecks:
    """`on_valid` is called with the plugin id of each account that was found to be valid."""

    def __init__(
        self,
        db: Database,
        vault: Vault,
        plugins: Plugins,
        calls: PluginCalls,
        on_valid: Callable[[str], Awaitable[None]],
        changed: Callable[[], None],
    ) -> None:
        self._db = db
        self._vault = vault
        self._plugins = plugins
        self._calls = calls
        self._on_valid = on_valid
        self._changed = changed

    async def waiting(self) -> list[StoredAccount]:
        stale = int((time.time() - STALE_SECONDS) * 1000)
        await self._db.write(lambda tx: store.check_stale(tx.conn, stale))
        return await self._db.read(store.to_check)

    async def check(self, stored: StoredAccount) -> None:
        values = await self._checked(stored)
        values["checked_at"] = now_ms()

        def work(tx: Tx) -> bool:
            tx.emit(Changed("accounts"))
            tx.after_commit(self._changed)
            return store.store_check(tx.conn, stored, values)

        if await self._db.write(work) and values["status"] == "valid":
            await self._on_valid(stored.plugin_id)

    async def _checked(self, stored: StoredAccount) -> dict[str, Any]:
        plugin = await self._plugins.get(stored.plugin_id)
        if plugin is None:
            return _failed("error", Problem("plugin_gone", {"plugin": stored.plugin_id}))
        if not plugin.can("check_account"):
            return {"status": "unchecked", "error": None}
        try:
            secret = await asyncio.to_thread(self._vault.decrypt, stored.secret, USE)
            account = Account(stored.id, stored.user, secret.decode())
            return _state(plugin, account, await self._calls.check_account(plugin, account))
        except AccountProblem as error:
            return _failed("invalid", error.problem)
        except PluginError as error:
            return _failed("error", error.problem)
        except AppError as error:
            return _failed("error", problem_of(error))


def _state(plugin: Plugin, account: Account, state: AccountState) -> dict[str, Any]:
    def clean(text: object) -> str:
        return str(text).replace(account.secret, "***")

    says = state.text and plugin_message(plugin, state.text, clean)
    if not state.valid:
        return _failed("invalid", says or Problem("plugin_account", {"plugin": plugin.name}))
    until = state.valid_until
    return {
        "status": "valid",
        "premium": state.premium,
        "traffic_left": state.traffic_left,
        "valid_until": None if until is None else int(until * 1000),
        "error": says,
    }


def _failed(status: str, problem: Problem | None) -> dict[str, Any]:
    """Return a failed state; the last known traffic and expiry are kept."""
    return {"status": status, "error": problem or Problem("internal")}
