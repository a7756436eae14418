import logging
from collections.abc import Collection

from quartet.downloads.bittorrent import store as bittorrent_store
from quartet.downloads.bittorrent.client import TorrentClient
from quartet.downloads.events import Changed
from quartet.downloads.packages.service import require_found, valid_id
from quartet.downloads.queue import store, store_torrents
from quartet.downloads.queue.scheduler_inbox import SchedulerInbox
from quartet.downloads.settings import DownloadsSettings
from quartet.downloads.torrents.types import TorrentChange, TorrentDetails
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel

log = logging.getLogger("quartet.downloads.torrents")


class TorrentService:
    """Shows torrents and selects their files; the queue runs them."""

    def __init__(
        self, kernel: Kernel[DownloadsSettings], client: TorrentClient, inbox: SchedulerInbox
    ) -> None:
        self._db = kernel.db
        self._client = client
        self._inbox = inbox

    async def details(self, package_id: int) -> TorrentDetails:
        torrent = await self._db.read(bittorrent_store.torrent, valid_id(package_id))
        if torrent is None:
            raise AppError(404, "not_found", id=package_id)
        size = await self._db.read(store_torrents.wanted_size, package_id)
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
            peers=described.peers if described else [],
            trackers=described.trackers if described else [],
        )

    async def change(self, package_id: int, given: TorrentChange) -> None:
        def work(tx: Tx) -> None:
            found = bittorrent_store.torrent(tx.conn, valid_id(package_id))
            require_found(found is not None, id=package_id)
            if given.sequential is not None:
                bittorrent_store.change(tx.conn, package_id, sequential=given.sequential)
            if given.selected is not None:
                self._select(tx, package_id, given.selected)
            tx.emit(Changed("downloads", packages=[package_id]))
            tx.after_commit(self._inbox.wake)

        await self._db.write(work)

    def _select(self, tx: Tx, package_id: int, selected: Collection[int]) -> None:
        members = store.package_ids(tx.conn, package_id)
        require_found(members.issuperset(selected), ids=sorted(set(selected) - members))
        if not selected:
            raise AppError(400, "nothing_chosen")
        store_torrents.select_files(tx.conn, package_id, selected)
        tx.emit(Changed("downloads"))
        log.info("package %d: %d of %d files selected", package_id, len(selected), len(members))
