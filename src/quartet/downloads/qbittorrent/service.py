"""The packages of the queue as qBittorrent clients see and change them."""

import asyncio
import logging
import shutil
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import msgspec

from quartet.downloads.bittorrent.client import TorrentClient
from quartet.downloads.links.service import Links
from quartet.downloads.options.service import OptionsService
from quartet.downloads.packages.service import Packages
from quartet.downloads.packages.types import Order, PackageChange
from quartet.downloads.qbittorrent import store, torrent
from quartet.downloads.qbittorrent.adder import TorrentAdder
from quartet.downloads.qbittorrent.hashes import id_in
from quartet.downloads.qbittorrent.labels import Labels
from quartet.downloads.qbittorrent.preferences import changed_settings, preferences_of
from quartet.downloads.qbittorrent.save_paths import relative_folder
from quartet.downloads.qbittorrent.sharing import Sharing
from quartet.downloads.qbittorrent.sync import MainData, SyncHistory
from quartet.downloads.qbittorrent.types import (
    LiveTotals,
    NewTorrents,
    Shown,
    TorrentPackage,
)
from quartet.downloads.queue.fetcher import Fetcher
from quartet.downloads.queue.service import Queue
from quartet.downloads.queue.types import DownloadChange
from quartet.downloads.settings import DownloadsSettings
from quartet.downloads.torrents.service import TorrentService
from quartet.downloads.torrents.types import TorrentChange
from quartet.kernel.errors import AppError
from quartet.kernel.files import safe_name
from quartet.kernel.service import Kernel

log = logging.getLogger("quartet.downloads.qbittorrent")

ALL = "all"


class Qbittorrent:
    def __init__(
        self,
        kernel: Kernel[DownloadsSettings],
        links: Links,
        packages: Packages,
        queue: Queue,
        options: OptionsService,
        fetcher: Fetcher,
        torrents: TorrentService,
        client: TorrentClient,
    ) -> None:
        self._db = kernel.db
        self._done = kernel.settings.done_folder.absolute()
        self._tmp = kernel.settings.tmp_folder.absolute()
        self._packages = packages
        self._queue = queue
        self._options = options
        self._fetcher = fetcher
        self._torrents = torrents
        self._client = client
        self._links = links
        self._adder = TorrentAdder(kernel, links, client)
        self.labels = Labels(kernel.db, self._done, self.ids_of)
        self.sharing = Sharing(kernel.db, torrents, client, self.id_of, self.ids_of)
        self._history = SyncHistory()

    # Reading

    async def torrents(self) -> list[Shown]:
        found = await self._db.read(store.torrents)
        live = await self._live()
        return [
            torrent.torrent_of(each, live.get(each.id, LiveTotals()), self._done) for each in found
        ]

    async def _live(self) -> dict[int, LiveTotals]:
        """Return what the running downloads add to each package."""
        snapshots = self._fetcher.snapshots()
        stored = await self._db.read(store.running, list(snapshots)) if snapshots else {}
        found: dict[int, LiveTotals] = defaultdict(LiveTotals)
        for id, (package_id, bytes_done) in stored.items():
            before, now = found[package_id], snapshots[id]
            gained = before.gained + max(0, now.bytes_done - bytes_done)
            found[package_id] = LiveTotals(gained, before.speed + round(now.speed))
        for package_id, status in self._client.statuses.items():
            found[package_id] = found[package_id]._replace(status=status)
        return found

    async def torrent(self, hash: str) -> Shown:
        package_id = await self.id_of(hash)
        found = (each for each in await self.torrents() if each["hash"] == hash.lower())
        shown = next(found, None)
        if shown is None:
            raise AppError(404, "not_found", id=package_id)
        return shown

    async def files(self, hash: str) -> list[dict[str, Any]]:
        package = await self._package(hash)
        rows = await self._db.read(store.files, package.id)
        live = {id: each.bytes_done for id, each in self._fetcher.snapshots().items()}
        return torrent.files_of(package, rows, live)

    async def toggle_sequential(self, package_id: int) -> None:
        details = await self._torrents.details(package_id)
        await self._torrents.change(package_id, TorrentChange(sequential=not details.sequential))

    async def addresses(self, hash: str) -> list[str]:
        """Return the links of a package."""
        rows = await self._db.read(store.files, await self.id_of(hash))
        return [row.url for row in rows]

    async def _package(self, hash: str) -> TorrentPackage:
        package_id = await self.id_of(hash)
        found = (each for each in await self._db.read(store.torrents) if each.id == package_id)
        package = next(found, None)
        if package is None:
            raise AppError(404, "not_found", id=package_id)
        return package

    async def id_of(self, hash: str) -> int:
        """Return the id of the package with this hash; raises 404 if there is none."""
        lower = hash.strip().lower()
        id = await self._db.read(store.id_of, lower) or id_in(lower)
        if id is None or not await self._db.read(store.in_queue, id):
            raise AppError(404, "not_found", id=lower[:40])
        return id

    async def ids_of(self, hashes: str) -> list[int]:
        """Return the ids of several packages in queue order; unknown hashes are ignored."""
        if hashes == ALL:
            return await self._db.read(store.package_order)
        wanted = {each.strip().lower() for each in hashes.split("|") if each.strip()}
        found = await self._db.read(store.torrents)
        return [each.id for each in found if each.hash in wanted]

    async def transfer(self) -> Shown:
        options = await self._options.current()
        speed = sum(each.speed for each in self._fetcher.snapshots().values())
        return {
            "connection_status": "connected",
            "dht_nodes": 0,
            "dl_info_data": sum(each["downloaded"] for each in await self.torrents()),
            "dl_info_speed": round(speed),
            "dl_rate_limit": options.speed_limit_kib * torrent.KIB,
            "up_info_data": sum(each["uploaded"] for each in await self.torrents()),
            "up_info_speed": sum(each.upload_speed for each in self._client.statuses.values()),
            "up_rate_limit": options.upload_limit_kib * torrent.KIB,
        }

    async def main_data(self, rid: int) -> Shown:
        torrents = {each["hash"]: _without_hash(each) for each in await self.torrents()}
        transfer = await self.transfer()
        server = {
            **transfer,
            "alltime_dl": transfer["dl_info_data"],
            "alltime_ul": transfer["up_info_data"],
            "free_space_on_disk": await asyncio.to_thread(_free_space, self._done),
            "global_ratio": "0",
            "queueing": True,
            "refresh_interval": 1500,
            "use_alt_speed_limits": False,
            "use_subcategories": False,
        }
        data = MainData(torrents, await self.labels.categories(), await self.labels.tags(), server)
        return self._history.response(rid, data)

    # Adding

    async def add(self, given: NewTorrents) -> None:
        added = await self._adder.add(given)
        if given.on_top:
            await self.move_to_end(added, top=True)

    # Changing

    async def each(self, hashes: str, act: Callable[[int], Awaitable[None]]) -> None:
        for id in await self.ids_of(hashes):
            await act(id)

    async def stop(self, hashes: str) -> None:
        if hashes == ALL:
            await self._queue.pause_all()
        else:
            await self.each(hashes, self._queue.pause_package)

    async def start(self, hashes: str) -> None:
        if hashes == ALL:
            await self._queue.resume_all()
        else:
            await self.each(hashes, self._queue.resume_package)

    async def set_force_start(self, hashes: str, *, forced: bool) -> None:
        if forced:
            await self.each(hashes, self._queue.start_package_now)
        else:
            await self.each(hashes, self._queue.start_package_in_turn)
            await self.start(hashes)

    async def delete(self, hashes: str, *, files: bool) -> None:
        for id in await self.ids_of(hashes):
            await self._queue.delete_package(id, files=files)

    async def check(self, hashes: str) -> None:
        """Check the files of torrents, and whether those of other packages are online."""
        ids = await self.ids_of(hashes)
        torrents = await self.sharing.recheck(ids)
        for id in ids:
            if id not in torrents:
                await self._links.check(id)

    async def move_to_end(self, ids: Collection[int], *, top: bool) -> None:
        """Move packages to the top or to the bottom of the queue."""
        order = await self._db.read(store.package_order)
        chosen = [id for id in order if id in ids]
        rest = [id for id in order if id not in ids]
        await self._packages.order(Order(chosen + rest if top else rest + chosen))

    async def move(self, ids: Collection[int], *, up: bool) -> None:
        """Move packages by one place; those at the end stay there."""
        order = await self._db.read(store.package_order)
        items = order if up else order[::-1]
        for place, id in enumerate(items):
            if place and id in ids and items[place - 1] not in ids:
                items[place - 1], items[place] = id, items[place - 1]
        await self._packages.order(Order(items if up else items[::-1]))

    async def rename(self, hash: str, name: str) -> None:
        if not name.strip():
            raise AppError(409, "invalid_request", field="name")
        await self._packages.change(await self.id_of(hash), PackageChange(name=name))

    async def set_location(self, hashes: str, location: str) -> None:
        folder = relative_folder(self._done, location)
        wanted = set(await self.ids_of(hashes))
        for package in await self._db.read(store.torrents):
            if package.id in wanted:
                own = Path(package.target_dir).name or safe_name(package.name)
                change = PackageChange(target_dir=f"{folder}/{own}")
                await self._packages.change(package.id, change)

    async def set_limit(self, hashes: str, bytes_per_second: int) -> None:
        limit = max(0, -(-bytes_per_second // torrent.KIB))
        change = PackageChange(speed_limit_kib=limit)
        await self.each(hashes, lambda id: self._packages.change(id, change))

    async def set_file_priority(self, hash: str, places: Sequence[int], priority: int) -> None:
        """Pause or skip files with priority 0; resume the others and set their priority."""
        rows = await self._db.read(store.files, await self.id_of(hash))
        if any(place >= len(rows) for place in places):
            raise AppError(409, "invalid_request", field="id")
        chosen = {rows[place].id for place in places}
        if rows and rows[0].torrent_file is not None:
            kept = {row.id for row in rows if row.status != "skipped"}
            selected = kept | chosen if priority else kept - chosen
            change = TorrentChange(selected=sorted(selected))
            await self._torrents.change(rows[0].package_id, change)
            places = places if priority else ()
        for place in places:
            id = rows[place].id
            if priority == 0:
                await self._queue.pause_download(id)
                continue
            wanted = DownloadChange(priority={7: 2, 6: 1}.get(priority, 0))
            await self._queue.change_download(id, wanted)
            await self._queue.resume_download(id)

    # Preferences

    async def preferences(self) -> dict[str, Any]:
        return preferences_of(await self._options.current(), str(self._done), str(self._tmp))

    async def set_preferences(self, given: dict[str, Any]) -> None:
        if values := changed_settings(given, str(self._done)):
            settings = msgspec.structs.replace(await self._options.current(), **values)
            await self._options.replace(settings)

    @property
    def default_folder(self) -> str:
        return str(self._done)


def _without_hash(shown: Shown) -> Shown:
    return {name: value for name, value in shown.items() if name != "hash"}


def _free_space(folder: Path) -> int:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return 0
