from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from quartet.downloads.events import Changed
from quartet.downloads.input_cleanup import clean_text, password_list, target_dir
from quartet.downloads.options.store import options
from quartet.downloads.packages import store
from quartet.downloads.packages.types import (
    Download,
    Order,
    Package,
    PackageChange,
    Page,
    PageQuery,
)
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel

# Queues the extraction of a package.
Extraction = Callable[[Tx, int], None]


def require_found(answer: bool, **inputs: object) -> None:
    if not answer:
        raise AppError(404, "not_found", **inputs)


def valid_id(id: int) -> int:
    """Return the id; raises 404 for ids outside the range of the database."""
    require_found(0 < id < 2**53, id=id)
    return id


class Packages:
    """Lists and changes packages. `wake_queue` may be called from any thread."""

    def __init__(
        self,
        kernel: Kernel[DownloadsSettings],
        wake_queue: Callable[[], None],
    ) -> None:
        self._db = kernel.db
        self._wake_queue = wake_queue
        # Set when the extraction service is built, which needs this object.
        self.extraction: Extraction

    async def page(self, wanted: PageQuery, live: Mapping[int, int]) -> Page:
        """`live` holds the bytes of the running downloads by id."""
        shown, following = await self._db.read(store.page, wanted)
        if live:
            shown = [_with_live(package, live) for package in shown]
        return Page(shown, ".".join(map(str, following)) if following else None)

    async def change(self, package_id: int, given: PackageChange) -> None:
        values = _values(given)

        def work(tx: Tx) -> None:
            require_found(store.change(tx.conn, valid_id(package_id), values), id=package_id)
            if given.priority is not None:
                store.set_priority(tx.conn, package_id, given.priority)
            tx.emit(Changed("downloads"))
            tx.after_commit(self._wake_queue)

        await self._db.write(work)

    async def order(self, given: Order) -> None:
        ids = list(dict.fromkeys(given.ids))

        def work(tx: Tx) -> None:
            places = store.positions(tx.conn, ids)
            require_found(len(places) == len(ids), ids=sorted(set(ids) - set(places)))
            store.set_positions(tx.conn, dict(zip(ids, sorted(places.values()), strict=True)))
            tx.emit(Changed("downloads"))
            tx.after_commit(self._wake_queue)

        await self._db.write(work)

    async def extract(self, package_id: int) -> None:
        require_found(await self._db.read(store.exists, valid_id(package_id)), id=package_id)
        await self._db.write(self.extraction, package_id)

    def on_download_finished(self, tx: Tx, package_id: int) -> None:
        """Queue the extraction if all downloads of the package are finished."""
        if store.is_complete(tx.conn, package_id) and options(tx.conn).auto_extract:
            self.extraction(tx, package_id)


def _values(given: PackageChange) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if given.name is not None and clean_text(given.name):
        values |= {"name": clean_text(given.name), "auto_named": False}
    if given.target_dir is not None:
        values["target_dir"] = target_dir(given.target_dir)
    if given.passwords is not None:
        values["passwords"] = password_list(given.passwords)
    if given.download_password is not None:
        values["download_password"] = clean_text(given.download_password, keep_blanks=True) or None
    if given.priority is not None:
        values["priority"] = given.priority
    if given.speed_limit_kib is not None:
        values["speed_limit_kib"] = given.speed_limit_kib
    return values


def _with_live(package: Package, live: Mapping[int, int]) -> Package:
    """Return the package with current byte counts; stored ones are from the last state change."""
    downloads = [_live_download(each, live) for each in package.downloads]
    gained = _bytes(downloads) - _bytes(package.downloads)
    summary = msgspec.structs.replace(
        package.summary, bytes_done=package.summary.bytes_done + gained
    )
    return msgspec.structs.replace(package, downloads=downloads, summary=summary)


def _live_download(download: Download, live: Mapping[int, int]) -> Download:
    if download.id not in live:
        return download
    return msgspec.structs.replace(download, bytes_done=live[download.id])


def _bytes(downloads: Iterable[Download]) -> int:
    return sum(download.bytes_done for download in downloads)
