import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from quartet.downloads.events import Changed
from quartet.downloads.input_cleanup import clean_text, password_list, target_dir
from quartet.downloads.options.store import options
from quartet.downloads.packages import store, store_pages
from quartet.downloads.packages.sections import OpenQuestions
from quartet.downloads.packages.types import (
    Download,
    Order,
    Package,
    PackageChange,
    PackageFolder,
    PackagePage,
    PageQuery,
    View,
)
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.kernel.files import safe_name
from quartet.kernel.service import Kernel

log = logging.getLogger("quartet.downloads.packages")

# Queues the extraction of a package.
Extraction = Callable[[Tx, int], None]


def require_found(answer: bool, **inputs: object) -> None:
    if not answer:
        raise AppError(404, "not_found", **inputs)


def valid_id(id: int) -> int:
    """Return the id; raises 404 for ids outside the range of the database."""
    require_found(0 < id < 2**53, id=id)
    return id


# The bytes of the running downloads by id.
Live = Mapping[int, int]


class Packages:
    """Lists and changes packages. `wake_queue` may be called from any thread."""

    def __init__(
        self,
        kernel: Kernel[DownloadsSettings],
        wake_queue: Callable[[], None],
    ) -> None:
        self._db = kernel.db
        self._done = kernel.settings.done_folder
        self._wake_queue = wake_queue
        # Returns what the user is asked now; set when the questions are built.
        self.asking: Callable[[], OpenQuestions] = OpenQuestions
        # Called when all downloads of a package are finished, before its archives are extracted.
        self.on_complete: Callable[[Tx, int], None] = lambda _tx, _package_id: None
        # Set when the extraction service is built, which needs this object.
        self.extraction: Extraction
        # Called when finished files have to be moved to a new target folder; from any thread.
        self.on_folder_changed: Callable[[], None] = lambda: None

    async def some(
        self, view: View | None, ids: Collection[int], download_ids: Collection[int], live: Live
    ) -> PackagePage:
        """Return these packages with only these downloads."""
        shown = await self._db.read(store_pages.some, view, ids, download_ids, self.asking())
        return PackagePage([_with_live(package, live) for package in shown], None)

    async def page(self, wanted: PageQuery, live: Live) -> PackagePage:
        shown, following = await self._db.read(store_pages.page, wanted, self.asking())
        if live:
            shown = [_with_live(package, live) for package in shown]
        return PackagePage(shown, ".".join(map(str, following)) if following else None)

    async def ids_of_link(self, url: str) -> Sequence[tuple[int, int]]:
        """Return the ids and package ids of the downloads with this link."""
        return await self._db.read(store.ids_of_link, url)

    async def change(self, package_id: int, given: PackageChange) -> None:
        values = _values(given, self._done)

        def work(tx: Tx) -> None:
            before = store.folder_of(tx.conn, valid_id(package_id))
            if before is None:
                raise AppError(404, "not_found", id=package_id)
            new = values | _folder_values(before, values)
            store.change(tx.conn, package_id, new)
            if "moved_from" in new:
                log.info("package %d moves to folder %s", package_id, new["target_dir"])
                tx.after_commit(self.on_folder_changed)
            if given.priority is None:
                tx.emit(Changed("downloads", packages=[package_id]))
            else:
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
        if not store.is_complete(tx.conn, package_id):
            return
        self.on_complete(tx, package_id)
        wanted = store.auto_extract(tx.conn, package_id)
        if options(tx.conn).auto_extract if wanted is None else wanted:
            self.extraction(tx, package_id)


def _values(given: PackageChange, done: Path) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if given.name is not None and clean_text(given.name):
        values |= {"name": clean_text(given.name), "auto_named": False}
    if given.target_dir is not None:
        values["target_dir"] = target_dir(given.target_dir, done)
    if given.passwords is not None:
        values["passwords"] = password_list(given.passwords)
    if given.download_password is not None:
        values["download_password"] = clean_text(given.download_password, keep_blanks=True) or None
    if given.priority is not None:
        values["priority"] = given.priority
    if given.speed_limit_kib is not None:
        values["speed_limit_kib"] = given.speed_limit_kib
    if given.extract_nested is not msgspec.UNSET:
        values["extract_nested"] = given.extract_nested
    return values


def _folder_values(before: PackageFolder, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that change with the folder.

    A folder that was named after the package follows its name. The former folder is stored until
    the finished files of a package in the queue have been moved.
    """
    folder = values.get("target_dir", before.target_dir)
    if "target_dir" not in values and "name" in values and before.is_automatic:
        folder = safe_name(values["name"])
    if folder == before.target_dir:
        return {}
    if before.collector:
        return {"target_dir": folder}
    former = [each for each in before.moved_from if each != folder]
    return {"target_dir": folder, "moved_from": [*former, before.target_dir]}


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
