"""The cookie jars of all plugins, stored encrypted in the database."""

import asyncio
from typing import TYPE_CHECKING

from quartet.downloads.hosters import store
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.vault import Vault

if TYPE_CHECKING:
    from quartet.downloads.hosters.cookie_jar import PluginCookieJar

GUEST = 0
_USE = "cookies"


class CookieJars:
    """One jar per plugin and account, shared by concurrent calls."""

    def __init__(self, db: Database, vault: Vault) -> None:
        self._db = db
        self._vault = vault
        self._open: dict[tuple[str, int], PluginCookieJar] = {}

    async def get(self, plugin_id: str, account_id: int) -> "PluginCookieJar":
        # Imports the HTTP client library, which is not needed at startup.
        from quartet.downloads.hosters.cookie_jar import PluginCookieJar

        key = (plugin_id, account_id)
        if key not in self._open:
            jar = PluginCookieJar(await self._stored(*key))
            # Another call may have opened the jar in the meantime.
            self._open.setdefault(key, jar)
        return self._open[key]

    async def store(self, plugin_id: str, account_id: int) -> None:
        """Store the cookies if they changed and the account still exists."""
        jar = self._open.get((plugin_id, account_id))
        changed = jar.changed() if jar else None
        if changed is not None:
            locked = await asyncio.to_thread(self._vault.encrypt, changed, _USE)
            await self._db.write(
                lambda tx: store.store_cookies(tx.conn, plugin_id, account_id, locked)
            )

    def discard(self, tx: Tx, plugin_id: str, account_id: int) -> None:
        """Discard the session of an account that was deleted or has new credentials."""
        store.delete_cookies(tx.conn, plugin_id, account_id)

        def gone() -> None:
            self._open.pop((plugin_id, account_id), None)

        tx.after_commit(gone)

    async def _stored(self, plugin_id: str, account_id: int) -> bytes | None:
        locked = await self._db.read(store.cookies, plugin_id, account_id)
        try:
            return await asyncio.to_thread(self._vault.decrypt, locked, _USE) if locked else None
        except AppError:
            return None  # the key has changed: start a new session
