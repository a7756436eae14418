"""The options of downloads and of the server as aria2 clients see and change them."""

import msgspec

from quartet.downloads.aria2 import options as mapping
from quartet.downloads.aria2 import store
from quartet.downloads.aria2.service import Aria2
from quartet.downloads.aria2.stored_options import StoredOptions
from quartet.downloads.aria2.types import Aria2Download, Aria2Extras, Options, RpcError
from quartet.downloads.bittorrent import store as bittorrent_store
from quartet.downloads.options.service import OptionsService
from quartet.downloads.packages.service import Packages
from quartet.downloads.packages.types import PackageChange
from quartet.downloads.queue.service import Queue
from quartet.downloads.queue.types import DownloadChange
from quartet.downloads.request_headers import RequestHeaders, stored_headers
from quartet.downloads.settings import DownloadsSettings
from quartet.downloads.torrents.service import TorrentService
from quartet.downloads.torrents.types import TorrentChange
from quartet.kernel.db import Tx
from quartet.kernel.service import Kernel

# Headers that have an option of their own.
_OWN_OPTIONS = ("Referer", "User-Agent")


class Aria2Options:
    def __init__(
        self,
        kernel: Kernel[DownloadsSettings],
        aria2: Aria2,
        packages: Packages,
        queue: Queue,
        options: OptionsService,
        stored: StoredOptions,
        torrents: TorrentService,
    ) -> None:
        self._db = kernel.db
        self._done = kernel.settings.done_folder
        self._aria2 = aria2
        self._packages = packages
        self._queue = queue
        self._options = options
        self._stored = stored
        self._torrents = torrents

    async def download_options(self, gid: object) -> Options:
        found = await self._aria2.find(gid)
        general = await self.global_options()
        limit = str(found.download.speed_limit_kib * mapping.KIB)
        folder = {"dir": self._aria2.shown(found)["dir"]}
        return {**general, **found.options, "max-download-limit": limit, **folder}

    async def change_download_options(self, gid: object, given: object) -> None:
        found = await self._aria2.find(gid)
        options = mapping.text_options(given)
        values = mapping.download_values(options)
        limit = values.pop("speed_limit_kib", None)
        if "dir" in options:
            await self._change_folder(found, mapping.target_dir(self._done, options["dir"]))
        if limit is not None:
            change = DownloadChange(speed_limit_kib=limit)
            await self._queue.change_download(found.download.id, change)
        if found.files and "select-file" in options:
            numbers = mapping.file_numbers(options["select-file"])
            chosen = [each.id for place, each in enumerate(found.files, 1) if place in numbers]
            await self._torrents.change(found.download.package_id, TorrentChange(selected=chosen))
        if found.files and (limits := mapping.share_limits(options)):
            package_id = found.download.package_id
            await self._db.write(lambda tx: bittorrent_store.change(tx.conn, package_id, **limits))
            # Once more, because this limit applies to a running torrent at once.
            upload = TorrentChange(upload_limit_kib=limits.get("upload_limit_kib"))
            await self._torrents.change(package_id, upload)
        before = await self._db.read(store.request_headers, found.download.id)
        values["request_headers"] = stored_headers(_changed_headers(before, options))
        extras = Aria2Extras(found.gid, None)
        stored = mapping.stored_options({**found.options, **options})
        await self._aria2.put(found.download.id, extras, stored, values)

    async def _change_folder(self, found: Aria2Download, folder: str) -> None:
        package_id = found.download.package_id
        if not found.files and len(await self._db.read(store.siblings, package_id)) > 1:
            raise RpcError("The folder belongs to a package with several downloads.")
        await self._packages.change(package_id, PackageChange(target_dir=folder))

    async def global_options(self) -> Options:
        stored = self._stored.unlocked(await self._db.read(store.global_options))
        settings = await self._options.current()
        shown = mapping.shown_options(stored)
        return {**mapping.DEFAULTS, **shown, **mapping.global_options(settings, self._done)}

    async def change_global_options(self, given: object) -> None:
        options = mapping.text_options(given)
        if "dir" in options and mapping.target_dir(self._done, options["dir"]):
            raise RpcError("The download folder is set on the server (done_dir).")
        if values := mapping.changed_settings(options):
            settings = msgspec.structs.replace(await self._options.current(), **values)
            await self._options.replace(settings)

        def work(tx: Tx) -> None:
            both = {**self._stored.unlocked(store.global_options(tx.conn)), **options}
            store.put_global_options(tx.conn, self._stored.locked(both))

        await self._db.write(work)


def _changed_headers(before: RequestHeaders, options: Options) -> RequestHeaders:
    """Return the request headers after a change; the option `header` replaces all but two."""
    given = mapping.headers_in(options)
    if "header" not in options:
        return RequestHeaders({**before.headers, **given.headers}, before.cookies)
    kept = {name: before.headers[name] for name in _OWN_OPTIONS if name in before.headers}
    return RequestHeaders({**kept, **given.headers}, given.cookies)
