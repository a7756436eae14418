"""Tells connected clients when downloads start, pause, end or fail."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from quartet.downloads.aria2 import store
from quartet.downloads.aria2.gids import gid_of
from quartet.downloads.aria2.protocol import notification
from quartet.downloads.events import Changed
from quartet.kernel.db import Database
from quartet.kernel.events import EventHub

# A client that reads so slowly loses notifications.
MOST_WAITING = 1000
_ACTIVE = ("resolving", "downloading")
_ENDS = {
    "paused": "onDownloadPause",
    "finished": "onDownloadComplete",
    "failed": "onDownloadError",
}


def notifications_for(before: str | None, now: str | None, *, torrent: bool = False) -> list[str]:
    """Return the notifications for a change of state; None means that there is no download."""
    if before == now:
        return []
    if now is None:
        return ["onDownloadStop"] if before not in ("finished", "failed") else []
    ran = before in _ACTIVE
    if now in _ACTIVE:
        return [] if ran else ["onDownloadStart"]
    found = [_ENDS[now]] if now in _ENDS else []
    if torrent and now == "finished":
        # For aria2, a torrent is complete before it is seeded.
        found.insert(0, "onBtDownloadComplete")
    # A small file may be complete before its start was noticed.
    missed = now in ("finished", "failed") and not ran
    return ["onDownloadStart", *found] if missed else found


class Notifications:
    """Follows the states of downloads while at least one client is connected."""

    def __init__(self, db: Database, events: EventHub) -> None:
        self._db = db
        self._events = events
        self._clients: set[asyncio.Queue[bytes]] = set()
        self._states: dict[int, store.State] = {}
        self._gids: dict[int, str] = {}
        self._task: asyncio.Task[None] | None = None

    @contextmanager
    def client(self) -> Iterator[asyncio.Queue[bytes]]:
        """Yield a queue of notifications for one client."""
        queue: asyncio.Queue[bytes] = asyncio.Queue(MOST_WAITING)
        self._clients.add(queue)
        if self._task is None:
            self._task = asyncio.create_task(self._follow(), name="aria2-notifications")
        try:
            yield queue
        finally:
            self._clients.discard(queue)
            if not self._clients and self._task is not None:
                self._task.cancel()
                self._task = None

    async def _follow(self) -> None:
        async with self._events.subscribe() as frames:
            self._states = await self._db.read(store.states, None)
            self._gids = await self._db.read(store.gids, list(self._states))
            async for frame in frames:
                if frame.is_resync:
                    await self._compare(None)
                elif frame.type == "changed":
                    event = msgspec.json.decode(frame.data, type=Changed)
                    if event.topic == "downloads" and not (event.packages and not event.downloads):
                        await self._compare(event.downloads)

    async def _compare(self, ids: list[int] | None) -> None:
        now = await self._db.read(store.states, ids)
        seen = self._states.keys() if ids is None else ids
        new = [id for id in now if id not in self._states]
        if new:
            self._gids |= await self._db.read(store.gids, new)
        for id in {*seen, *now}:
            before, after = self._states.get(id), now.get(id)
            names = notifications_for(
                before.status if before else None,
                after.status if after else None,
                torrent=bool(after and after.torrent),
            )
            for name in names:
                self._send(notification(name, self._gids.get(id) or gid_of(id)))
            if id in now:
                self._states[id] = now[id]
            else:
                self._states.pop(id, None)
                self._gids.pop(id, None)

    def _send(self, message: bytes) -> None:
        for queue in self._clients:
            if not queue.full():
                queue.put_nowait(message)
