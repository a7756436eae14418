from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from urllib.parse import urlsplit

import msgspec

from quartet import __version__
from quartet.downloads.events import Changed
from quartet.downloads.input_cleanup import clean_text, password_list
from quartet.downloads.login.store import api_token_hash
from quartet.downloads.options import store
from quartet.downloads.options.types import ArchivePasswords, Options, ShownOptions
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel

RANGES = {
    "max_parallel": (1, 20),
    "per_host": (0, 20),
    "connections_per_file": (1, 16),
    "speed_limit_kib": (0, 2**32),
    "max_retries": (0, 50),
    "history_days": (0, 3650),
    "upload_limit_kib": (0, 2**32),
    "seed_ratio_percent": (0, 100_000),
    "seed_minutes": (0, 10_000_000),
}
HIDDEN = "…"
PROXIES = ("http", "https", "socks4", "socks4a", "socks5", "socks5h")


class OptionsService:
    """Reads and changes the settings. `wake_queue` may be called from any thread."""

    def __init__(self, kernel: Kernel[DownloadsSettings], wake_queue: Callable[[], None]) -> None:
        self._db = kernel.db
        self._settings = kernel.settings
        self._wake_queue = wake_queue
        self._proxy = kernel.proxy
        self._proxy.address = self._db.write_sync(lambda tx: store.options(tx.conn)).proxy

    async def current(self) -> Options:
        return await self._db.read(store.options)

    async def shown(self) -> ShownOptions:
        return self._shown(await self.current(), await self._db.read(api_token_hash) is not None)

    async def replace(self, given: Options) -> ShownOptions:
        value = clamped(given)

        def work(tx: Tx) -> tuple[Options, bool]:
            stored = store.options(tx.conn).proxy
            proxy = stored if stored and value.proxy == masked(stored) else value.proxy
            new = msgspec.structs.replace(value, proxy=proxy)
            store.replace_options(tx.conn, new)
            tx.emit(Changed("settings"))
            tx.after_commit(partial(self._set_proxy, new.proxy))
            tx.after_commit(self._wake_queue)
            return new, api_token_hash(tx.conn) is not None

        return self._shown(*await self._db.write(work))

    def _set_proxy(self, proxy: str | None) -> None:
        self._proxy.address = proxy

    async def passwords(self) -> ArchivePasswords:
        return ArchivePasswords(await self._db.read(store.passwords))

    async def replace_passwords(self, given: ArchivePasswords) -> ArchivePasswords:
        stored = password_list(clean_text(text, keep_blanks=True) for text in given.passwords)

        def work(tx: Tx) -> None:
            store.replace_passwords(tx.conn, stored)
            tx.emit(Changed("settings"))

        await self._db.write(work)
        return ArchivePasswords(stored)

    def _shown(self, value: Options, token_set: bool) -> ShownOptions:
        proxy = value.proxy and masked(value.proxy)
        return ShownOptions(
            **msgspec.structs.asdict(msgspec.structs.replace(value, proxy=proxy)),
            tmp_dir=str(self._settings.tmp_folder.absolute()),
            done_dir=str(self._settings.done_folder.absolute()),
            cnl_port=self._settings.cnl_port,
            api_token_set=token_set,
            utc_offset_minutes=_utc_offset_minutes(),
            dlc=bool(self._settings.dlc_service),
            version=__version__,
        )


def clamped(given: Options) -> Options:
    values = {name: _between(getattr(given, name), *ends) for name, ends in RANGES.items()}
    limits = RANGES["speed_limit_kib"]
    schedule = [
        msgspec.structs.replace(window, limit_kib=_between(window.limit_kib, *limits))
        for window in given.schedule
    ]
    return msgspec.structs.replace(given, schedule=schedule, proxy=_proxy(given.proxy), **values)


def _utc_offset_minutes() -> int:
    offset = datetime.now().astimezone().utcoffset() or timedelta()
    return round(offset.total_seconds() / 60)


def _between(value: int, low: int, high: int) -> int:
    return max(low, min(value, high))


def _proxy(text: str | None) -> str | None:
    text = (text or "").strip()
    if not text:
        return None
    try:
        parts = urlsplit(text)
        usable = parts.scheme in PROXIES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not text.isprintable():
        raise AppError(400, "proxy_invalid")
    # The port is written explicitly, because programs have different defaults.
    port = "" if parts.port or parts.scheme == "https" else ":1080"
    return f"{parts.scheme}://{parts.netloc}{port}"


def masked(proxy: str) -> str:
    """Hide the password; a masked address that is sent back keeps the stored password."""
    password = urlsplit(proxy).password
    return proxy if password is None else proxy.replace(f":{password}@", f":{HIDDEN}@", 1)
