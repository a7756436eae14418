import logging
from collections.abc import Callable, Collection, Iterable
from typing import Any

from quartet.downloads.bittorrent import store as bittorrent_store
from quartet.downloads.bittorrent.client import TorrentClient
from quartet.downloads.bittorrent.trackers import tracker_addresses
from quartet.downloads.bittorrent.types import ChangeSharing, Tracker
from quartet.downloads.events import Changed
from quartet.downloads.packages.service import require_found, valid_id
from quartet.downloads.queue import store
from quartet.downloads.queue.scheduler_inbox import SchedulerInbox
from quartet.downloads.queue.torrents import store as torrent_store
from quartet.downloads.settings import DownloadsSettings
from quartet.downloads.torrents.types import TorrentChange, TorrentDetails
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel

log = logging.getLogger("quartet.downloads.torrents")

KIB = 1024


class TorrentService:
    """Shows torrents and selects their files; the queue runs them."""

    def __init__(
        self,
        kernel: Kernel[DownloadsSettings],
        client: TorrentClient,
        inbox: SchedulerInbox,
        start_recheck: Callable[[int], None],
    ) -> None:
        self._start_recheck = start_recheck
        self._db = kernel.db
        self._client = client
        self._inbox = inbox

    async def details(self, package_id: int) -> TorrentDetails:
        torrent = await self._db.read(bittorrent_store.torrent, valid_id(package_id))
        if torrent is None:
            raise AppError(404, "not_found", id=package_id)
        size = await self._db.read(torrent_store.wanted_size, package_id)
        status = self._client.statuses.get(package_id)
        described = await self._client.describe(package_id) if status else None
        uploaded = max(torrent.uploaded, status.uploaded if status else 0)
        return TorrentDetails(
            info_hash=torrent.info_hash,
            private=torrent.private,
            sequential=torrent.sequential,
            state=status.state if status else None,
            download_speed=status.download_speed if status else 0,
            upload_speed=status.upload_speed if status else 0,
            uploaded=uploaded,
            ratio=round(uploaded / size, 3) if size else 0.0,
            upload_limit_kib=torrent.upload_limit_kib,
            peers=described.peers if described else [],
            trackers=described.trackers if described else _waiting(torrent.trackers or ()),
        )

    async def change(self, package_id: int, given: TorrentChange) -> None:
        values = _changed_values(given)

        def work(tx: Tx) -> None:
            found = bittorrent_store.torrent(tx.conn, valid_id(package_id))
            require_found(found is not None, id=package_id)
            if values:
                bittorrent_store.change(tx.conn, package_id, **values)
            if given.selected is not None:
                self._select(tx, package_id, given.selected)
            tx.emit(Changed("downloads", packages=[package_id]))
            tx.after_commit(self._inbox.wake)

        await self._db.write(work)
        if {"trackers", "upload_limit_kib"} & values.keys():
            await self._apply_sharing(package_id)

    async def _apply_sharing(self, package_id: int) -> None:
        """Apply the stored trackers and upload limit, if the torrent is running."""
        if torrent := await self._db.read(bittorrent_store.torrent, package_id):
            limit = torrent.upload_limit_kib * KIB
            command = ChangeSharing(id=package_id, trackers=torrent.trackers, upload_limit=limit)
            self._client.change_sharing(command)
            log.info("package %d: trackers or upload limit changed", package_id)

    async def trackers(self, package_id: int) -> list[str]:
        return [each.url for each in (await self.details(package_id)).trackers]

    async def announce(self, package_id: int) -> None:
        """Ask the trackers for peers now."""
        torrent = await self._db.read(bittorrent_store.torrent, valid_id(package_id))
        require_found(torrent is not None, id=package_id)
        if package_id not in self._client.statuses:
            raise AppError(409, "torrent_not_running")
        self._client.announce(package_id)

    async def recheck(self, package_id: int) -> None:
        """Check all files of the torrent; what is damaged is fetched again."""
        torrent = await self._db.read(bittorrent_store.torrent, valid_id(package_id))
        require_found(torrent is not None, id=package_id)
        self._start_recheck(package_id)
        log.info("package %d: check of the files requested", package_id)

    def _select(self, tx: Tx, package_id: int, selected: Collection[int]) -> None:
        members = store.package_ids(tx.conn, package_id)
        require_found(members.issuperset(selected), ids=sorted(set(selected) - members))
        if not selected:
            raise AppError(400, "nothing_chosen")
        torrent_store.select_files(tx.conn, package_id, selected)
        tx.emit(Changed("downloads"))
        log.info("package %d: %d of %d files selected", package_id, len(selected), len(members))


def _changed_values(given: TorrentChange) -> dict[str, Any]:
    """Return the columns that a request changes."""
    values: dict[str, Any] = {}
    if given.sequential is not None:
        values["sequential"] = given.sequential
    if given.trackers is not None:
        values["trackers"] = tracker_addresses(given.trackers)
    if given.upload_limit_kib is not None:
        values["upload_limit_kib"] = given.upload_limit_kib
    return values


def _waiting(addresses: Iterable[str]) -> list[Tracker]:
    return [Tracker(address, "waiting", "", None, None, None) for address in addresses]
