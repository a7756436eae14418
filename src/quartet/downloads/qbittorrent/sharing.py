"""Trackers, peers and limits of uploads. Packages that are no torrents have none."""

import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any

from quartet.downloads.bittorrent import store as bittorrent_store
from quartet.downloads.bittorrent.client import TorrentClient
from quartet.downloads.qbittorrent import torrent
from quartet.downloads.qbittorrent.types import ShareLimits
from quartet.downloads.torrents.service import TorrentService
from quartet.downloads.torrents.types import TorrentChange
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError

log = logging.getLogger("quartet.downloads.qbittorrent")


class Sharing:
    def __init__(
        self,
        db: Database,
        torrents: TorrentService,
        client: TorrentClient,
        id_of: Callable[[str], Awaitable[int]],
        ids_of: Callable[[str], Awaitable[list[int]]],
    ) -> None:
        self._db = db
        self._torrents = torrents
        self._client = client
        # Return the package with this hash, and those with several.
        self._id_of = id_of
        self._ids_of = ids_of

    async def trackers(self, hash: str) -> list[dict[str, Any]]:
        package_id = await self._id_of(hash)
        if not await self._only_torrents([package_id]):
            return []
        found = (await self._torrents.details(package_id)).trackers
        return [torrent.tracker_of(each, tier) for tier, each in enumerate(found)]

    async def peers(self, hash: str) -> dict[str, Any]:
        described = await self._client.describe(await self._id_of(hash))
        return {each.address: torrent.peer_of(each) for each in described.peers}

    async def add_trackers(self, hash: str, addresses: Sequence[str]) -> None:
        package_id = await self._id_of(hash)
        known = await self._torrents.trackers(package_id)
        await self._set_trackers(package_id, [*known, *addresses])

    async def replace_tracker(self, hash: str, old: str, new: str) -> None:
        package_id = await self._id_of(hash)
        known = await self._torrents.trackers(package_id)
        if old not in known or new in known:
            raise AppError(409, "invalid_request", field="newUrl" if old in known else "origUrl")
        await self._set_trackers(package_id, [new if each == old else each for each in known])

    async def remove_trackers(self, hash: str, addresses: Collection[str]) -> None:
        package_id = await self._id_of(hash)
        known = await self._torrents.trackers(package_id)
        kept = [each for each in known if each not in addresses]
        if len(kept) == len(known):
            raise AppError(409, "invalid_request", field="urls")
        await self._set_trackers(package_id, kept)

    async def _set_trackers(self, package_id: int, addresses: list[str]) -> None:
        await self._torrents.change(package_id, TorrentChange(trackers=addresses))

    async def announce(self, hashes: str) -> None:
        for id in await self._ids_of(hashes):
            self._client.announce(id)

    async def recheck(self, ids: Sequence[int]) -> Collection[int]:
        """Check the files of those packages that are torrents, and return them."""
        found = await self._only_torrents(ids)
        for id in found:
            await self._torrents.recheck(id)
        return found

    async def set_upload_limit(self, hashes: str, bytes_per_second: int) -> None:
        limit = max(0, -(-bytes_per_second // torrent.KIB))
        for id in await self._only_torrents(await self._ids_of(hashes)):
            await self._torrents.change(id, TorrentChange(upload_limit_kib=limit))

    async def set_share_limits(self, hashes: str, limits: ShareLimits) -> None:
        ids = await self._ids_of(hashes)

        def work(tx: Tx) -> None:
            for id in ids:
                bittorrent_store.change(tx.conn, id, **limits._asdict())

        await self._db.write(work)
        log.info("share limits of %d torrents changed", len(ids))

    async def _only_torrents(self, package_ids: Sequence[int]) -> list[int]:
        known = await self._db.read(bittorrent_store.info_hashes, package_ids)
        return [id for id in package_ids if id in known]
