"""The cookie jars of all plugins, kept locked in the database."""

import asyncio
from typing import TYPE_CHECKING

from quartet.downloads.hosters import store
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.vault import Vault

if TYPE_CHECKING:
    from quartet.downloads.hosters.jar import Jar

GUEST = 0
_USE = "cookies"


class Jars:
    """One for each plugin and account; calls at the same time share it."""

    def __init__(self, db: Database, vault: Vault) -> None:
        self._db = db
        self._vault = vault
        self._open: dict[tuple[str, int], Jar] = {}

    async def get(self, plugin_id: str, account_id: int) -> "Jar":
        # Loads the client library, which no start of the program needs.
        from quartet.downloads.hosters.jar import Jar

        key = (plugin_id, account_id)
        if key not in self._open:
            jar = Jar(await self._kept(*key))
            # Another call may have been quicker.
            self._open.setdefault(key, jar)
        return self._open[key]

    async def keep(self, plugin_id: str, account_id: int) -> None:
        """Written only when something changed, and not when the account has gone meanwhile."""
        jar = self._open.get((plugin_id, account_id))
        news = jar.news() if jar else None
        if news is not None:
            locked = await asyncio.to_thread(self._vault.encrypt, news, _USE)
            await self._db.write(
                lambda tx: store.keep_cookies(tx.conn, plugin_id, account_id, locked)
            )

    def forget(self, tx: Tx, plugin_id: str, account_id: int) -> None:
        """The session of an account that has other credentials now, or is gone."""
        store.forget_cookies(tx.conn, plugin_id, account_id)

        def gone() -> None:
            self._open.pop((plugin_id, account_id), None)

        tx.after_commit(gone)

    async def _kept(self, plugin_id: str, account_id: int) -> bytes | None:
        locked = await self._db.read(store.cookies, plugin_id, account_id)
        try:
            return await asyncio.to_thread(self._vault.decrypt, locked, _USE) if locked else None
        except AppError:
            return None  # the key is another one now: a new session begins
