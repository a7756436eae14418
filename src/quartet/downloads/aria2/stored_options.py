"""Stores the options of clients encrypted, and sends the headers among them."""

from pathlib import Path
from typing import Any

import msgspec

from quartet.downloads.aria2 import store
from quartet.downloads.aria2.options import request_headers
from quartet.downloads.aria2.types import Options
from quartet.downloads.queue.download_task import Resolve
from quartet.downloads.queue.types import ClaimedDownload, FileSource
from quartet.kernel.db import Database
from quartet.kernel.vault import Vault

_USE = "aria2 options"


class StoredOptions:
    def __init__(self, db: Database, keys: Path) -> None:
        self._db = db
        self._vault = Vault(keys)
        # Read with the first download, because most processes have none.
        self._ids: set[int] | None = None

    def locked(self, options: Options) -> bytes:
        return self._vault.encrypt(msgspec.json.encode(options), _USE)

    def unlocked(self, locked: bytes | None) -> Options:
        if locked is None:
            return {}
        return msgspec.json.decode(self._vault.decrypt(locked, _USE), type=dict[str, Any])

    def added(self, id: int) -> None:
        """Note that a download has options."""
        if self._ids is not None:
            self._ids.add(id)

    def with_headers(self, resolve: Resolve) -> Resolve:
        """Return a resolver that adds the headers that a client set for a plain link."""

        async def run(item: ClaimedDownload, on_waiting: Any) -> FileSource:
            source = await resolve(item, on_waiting)
            if item.plugin_id is not None or item.id not in await self._known():
                return source
            found = await self._db.read(store.found_downloads, [item.id])
            options = self.unlocked(found[0].extras.options) if found and found[0].extras else {}
            return source._replace(headers={**source.headers, **request_headers(options)})

        return run

    async def _known(self) -> set[int]:
        if self._ids is None:
            self._ids = await self._db.read(store.ids_with_extras)
        return self._ids
