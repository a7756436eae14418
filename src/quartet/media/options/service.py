from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from quartet.kernel.db import Tx
from quartet.kernel.service import Kernel
from quartet.kernel.vault import Vault
from quartet.media.options import store
from quartet.media.options.key_encryption import decrypt_keys, encrypt_keys, has_plain_keys
from quartet.media.options.types import Keys, Options
from quartet.media.secret_mask import CLEAR, mask


class OptionsService:
    def __init__(self, kernel: Kernel[Any]) -> None:
        self._db = kernel.db
        self._vault = Vault(kernel.settings.data / "keys")
        # Called after the settings were changed.
        self.listeners: list[Callable[[], Awaitable[None]]] = []

    def run_first_start(self) -> None:
        """Encrypt keys that an earlier version stored in plain text."""

        def work(tx: Tx) -> None:
            stored = store.options(tx.conn)
            if has_plain_keys(stored):
                store.replace(tx.conn, encrypt_keys(decrypt_keys(stored, self._vault), self._vault))

        self._db.write_sync(work)

    async def current(self) -> Options:
        """Return the settings with the full keys, for internal use only."""
        return await self._db.read(lambda conn: decrypt_keys(store.options(conn), self._vault))

    async def current_masked(self) -> Options:
        return masked(await self.current())

    async def replace(self, given: Options) -> Options:
        def work(tx: Tx) -> Options:
            kept = decrypt_keys(store.options(tx.conn), self._vault)
            value = msgspec.structs.replace(given, keys=_merged(given.keys, kept.keys))
            store.replace(tx.conn, encrypt_keys(value, self._vault))
            return masked(value)

        saved = await self._db.write(work)
        for listener in self.listeners:
            await listener()
        return saved


def masked(options: Options) -> Options:
    keys = {name: mask(value) for name, value in msgspec.structs.asdict(options.keys).items()}
    return msgspec.structs.replace(options, keys=Keys(**keys))


def _merged(given: Keys, kept: Keys) -> Keys:
    values = {}
    for name, old in msgspec.structs.asdict(kept).items():
        new = getattr(given, name).strip()
        stays = new in ("", mask(old))
        values[name] = old if stays else "" if new == CLEAR else new
    return Keys(**values)
