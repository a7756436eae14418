"""The downloads of the queue as aria2 clients see and change them."""

import secrets
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from quartet.downloads.aria2 import status, store
from quartet.downloads.aria2.gids import checked_gid, gid_of, id_in
from quartet.downloads.aria2.stored_options import StoredOptions
from quartet.downloads.aria2.types import (
    Aria2Download,
    Aria2Extras,
    How,
    NotWaiting,
    Options,
    RpcError,
)
from quartet.downloads.bittorrent.client import TorrentClient
from quartet.downloads.packages.service import Packages
from quartet.downloads.packages.states import Status
from quartet.downloads.packages.types import Order
from quartet.downloads.queue.fetcher import Fetcher
from quartet.downloads.queue.service import Queue
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.db import Tx
from quartet.kernel.service import Kernel

# As many as aria2 keeps by default.
MOST_REMOVED = 1000


class Aria2:
    def __init__(
        self,
        kernel: Kernel[DownloadsSettings],
        packages: Packages,
        queue: Queue,
        fetcher: Fetcher,
        stored: StoredOptions,
        client: TorrentClient,
    ) -> None:
        self._db = kernel.db
        self._done = kernel.settings.done_folder
        self._packages = packages
        self._queue = queue
        self._fetcher = fetcher
        self._stored = stored
        self._client = client
        self._session = secrets.token_hex(20)
        # Downloads that clients removed, as in aria2 only until the next start.
        self._removed: OrderedDict[str, dict[str, Any]] = OrderedDict()

    async def put(
        self, id: int, extras: Aria2Extras, options: Options, values: Mapping[str, Any]
    ) -> None:
        """Store what a client set for a download, and change its columns."""

        def work(tx: Tx) -> None:
            store.put_extras(tx.conn, id, extras._replace(options=self._stored.locked(options)))
            store.change(tx.conn, id, values)

        await self._db.write(work)

    # Reading

    async def find(self, gid: object) -> Aria2Download:
        text = checked_gid(gid)
        id = await self._db.read(store.download_id, text)
        found = await self.read([id if id is not None else id_in(text) or 0])
        if not found:
            raise RpcError(f"GID {text} is not found")
        return found[0]

    async def read(self, ids: Sequence[int]) -> list[Aria2Download]:
        found = await self._db.read(store.found_downloads, ids)
        return [
            Aria2Download(
                each.extras.gid if each.extras else gid_of(each.download.id),
                each.download,
                each.target_dir,
                each.mirrors,
                self._stored.unlocked(each.extras.options if each.extras else None),
                each.files,
                each.info_hash,
            )
            for each in found
        ]

    async def in_states(self, states: Sequence[Status]) -> list[int]:
        return await self._db.read(store.in_queue, states)

    def shown(self, found: Aria2Download) -> dict[str, Any]:
        snapshots = self._fetcher.snapshots()
        if found.files:
            running = self._client.statuses.get(found.download.package_id)
            return status.torrent_status(found, snapshots, self._done, running)
        return status.status_of(found, snapshots.get(found.download.id), self._done)

    async def status(self, gid: object) -> dict[str, Any]:
        if (removed := self._removed.get(checked_gid(gid))) is not None:
            return removed
        return self.shown(await self.find(gid))

    def removed(self) -> list[dict[str, Any]]:
        return list(self._removed.values())

    async def stats(self) -> dict[str, str]:
        count = await self._db.read(store.count)

        def total(states: Sequence[str]) -> int:
            return sum(count.get(state, 0) for state in states)

        stopped = str(total(status.STOPPED) + len(self._removed))
        speed = sum(each.speed for each in self._fetcher.snapshots().values())
        return {
            "downloadSpeed": str(round(speed)),
            "uploadSpeed": str(sum(each.upload_speed for each in self._client.statuses.values())),
            "numActive": str(total(status.ACTIVE)),
            "numWaiting": str(total(status.WAITING)),
            "numStopped": stopped,
            "numStoppedTotal": stopped,
        }

    @property
    def session(self) -> str:
        return self._session

    async def peers(self, gid: object) -> list[dict[str, str]]:
        found = await self.find(gid)
        described = await self._client.describe(found.download.package_id)
        return [status.peer_of(each) for each in described.peers]

    # Changing

    async def pause(self, gid: object) -> str:
        found = await self.find(gid)
        if found.download.status not in (*status.ACTIVE, "queued"):
            raise RpcError(f"GID#{found.gid} cannot be paused now")
        if found.files:
            await self._queue.pause_package(found.download.package_id)
        else:
            await self._queue.pause_download(found.download.id)
        return found.gid

    async def unpause(self, gid: object) -> str:
        found = await self.find(gid)
        if found.download.status != "paused":
            raise RpcError(f"GID#{found.gid} cannot be unpaused now")
        if found.files:
            await self._queue.resume_package(found.download.package_id)
        else:
            await self._queue.resume_download(found.download.id)
        return found.gid

    async def pause_all(self) -> None:
        await self._queue.pause_all()

    async def unpause_all(self) -> None:
        await self._queue.resume_all()

    async def remove(self, gid: object) -> str:
        found = await self.find(gid)
        if found.download.status in status.STOPPED:
            raise RpcError(f"Active Download not found for GID#{found.gid}")
        shown = status.removed_status(self.shown(found))
        await self._delete(found)
        self._removed[found.gid] = shown
        if len(self._removed) > MOST_REMOVED:
            self._removed.popitem(last=False)
        return found.gid

    async def forget(self, gid: object) -> None:
        """Remove a stopped download from the list; its file stays."""
        if self._removed.pop(checked_gid(gid), None) is not None:
            return
        found = await self.find(gid)
        if found.download.status not in status.STOPPED:
            raise RpcError(f"Could not remove download result of GID#{found.gid}")
        await self._delete(found)

    async def _delete(self, found: Aria2Download) -> None:
        if found.files:
            await self._queue.delete_package(found.download.package_id, files=False)
        else:
            await self._queue.delete_download(found.download.id, files=False)

    async def forget_all(self) -> None:
        """Remove all stopped downloads from the list; their files stay."""
        self._removed.clear()
        await self._queue.clear(*status.STOPPED)

    async def move(self, gid: object, place: int, how: How) -> int:
        """Move a waiting download; return its new place among the waiting ones."""
        found = await self.find(gid)
        ids = await self.in_states(status.WAITING)
        if found.download.id not in ids:
            raise NotWaiting(f"GID#{found.gid} not found in the waiting queue")
        now = ids.index(found.download.id)
        start = {"POS_SET": 0, "POS_CUR": now, "POS_END": len(ids) - 1}[how]
        target = max(0, min(start + place, len(ids) - 1))
        if target != now:
            await self._place(found, ids, now, target)
        waiting = await self.in_states(status.WAITING)
        # It may have started in the meantime.
        return waiting.index(found.download.id) if found.download.id in waiting else 0

    async def _place(self, found: Aria2Download, ids: Sequence[int], now: int, target: int) -> None:
        """Move the download within its package, or its whole package in the queue."""
        owners = await self._db.read(store.packages_of, ids)
        own, other = owners[ids[now]], owners[ids[target]]
        if own == other:
            members = await self._db.read(store.siblings, own)
            await self._db.write(
                lambda tx: store.order_downloads(
                    tx.conn, _moved(members, found.download.id, ids[target], after=target > now)
                )
            )
            return
        packages = list(dict.fromkeys(owners[id] for id in ids))
        order = _moved(packages, own, other, after=target > now)
        await self._packages.order(Order(order))

    async def change_uris(
        self, gid: object, dropped: Sequence[str], added: Sequence[str], place: int | None
    ) -> list[int]:
        """Change the addresses of a file; return how many were removed and added."""
        found = await self.find(gid)
        before = [found.download.url, *found.uris]
        kept = list(before)
        for uri in dropped:
            if uri in kept:
                kept.remove(uri)
        at = len(kept) if place is None else max(0, min(place, len(kept)))
        uris = [*kept[:at], *added, *kept[at:]]
        if not uris:
            raise RpcError("A download needs at least one URI.")
        values = {"url": uris[0], "mirrors": uris[1:] or None}
        extras = Aria2Extras(found.gid, None)
        await self.put(found.download.id, extras, found.options, values)
        return [len(before) - len(kept), len(added)]


def _moved(items: Sequence[int], item: int, neighbour: int, *, after: bool) -> list[int]:
    """Return the list with one item moved next to another."""
    rest = [each for each in items if each != item]
    place = rest.index(neighbour) + after
    return [*rest[:place], item, *rest[place:]]
