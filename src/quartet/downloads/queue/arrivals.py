"""The last steps of downloads whose bytes are all there, many together."""

import asyncio
from collections.abc import Callable, Collection

from quartet.downloads.queue import store_arrivals as store
from quartet.downloads.queue.finishing import DoneFolder
from quartet.downloads.queue.syncing import this_boot
from quartet.downloads.queue.together import Together
from quartet.downloads.queue.types import Ended, Landing, Move, Package
from quartet.downloads.queue.writes import Writes
from quartet.downloads.signal import Signal
from quartet.kernel.clock import now_ms
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError

# Nobody waits for these steps: the slot of a download is free already.
_SECONDS = 0.06


class Arrivals:
    """`arrived` is told the package of each download that is finished, with nothing to follow.

    `more` tells whether others are under way.
    """

    def __init__(
        self,
        db: Database,
        writes: Writes,
        done: DoneFolder,
        arrived: Callable[[Tx, int], None],
        more: Callable[[], bool],
    ) -> None:
        self._db = db
        self._writes = writes
        self._done = done
        self._arrived = arrived
        # Set when something has come to the done folder.
        self.ended = Signal()
        self._looking: Together[int, Package | None] = Together(self._look, _SECONDS, more)
        self._announcing: Together[Move, str | None] = Together(self._announce, _SECONDS, more)
        self._landing: Together[Landing, Ended | None] = Together(self._land, _SECONDS, more)

    async def package(self, id: int) -> Package | None:
        """That of a download; nothing when it is gone."""
        return await self._looking.do(id)

    async def announce(self, move: Move) -> str | None:
        """Where the file may go, written down first: after a crash it is found there.

        Nothing when the download was paused or deleted in the meantime.
        """
        return await self._announcing.do(move)

    async def land(self, landing: Landing) -> Ended | None:
        """Moves the file to its place; nothing when somebody else was there first."""
        try:
            return await self._landing.do(landing)
        except AppError as error:
            if error.code != "different_mount":
                raise
        # To another disk it may take long: nobody shall wait for somebody else's.
        taken = await asyncio.to_thread(
            self._done.take, landing.part, landing.file, landing.cancelled
        )
        return await self.end(landing.id) if taken else None

    async def end(self, id: int) -> Ended:
        return (await self._end([id]))[id]

    async def _look(self, ids: list[int]) -> list[Package | None]:
        found = await self._db.read(store.packages_of, ids)
        return [found.get(id) for id in ids]

    async def _announce(self, moves: list[Move]) -> list[str | Exception | None]:
        places = await asyncio.to_thread(lambda: [self._place(move) for move in moves])
        placed = [
            move._replace(file=place)
            for move, place in zip(moves, places, strict=True)
            if isinstance(place, str)
        ]
        wanted = await self._writes.do(lambda tx: store.about_to_move(tx.conn, placed, this_boot()))
        return [
            place if move.id in wanted or isinstance(place, Exception) else None
            for move, place in zip(moves, places, strict=True)
        ]

    def _place(self, move: Move) -> str | Exception:
        try:
            return self._done.free_place(move.folder, move.name)
        except Exception as error:  # noqa: BLE001 - one bad name must not stop the others
            return error

    async def _land(self, landings: list[Landing]) -> list[Ended | Exception | None]:
        moved = await asyncio.to_thread(lambda: [self._moved(each) for each in landings])
        ended = await self._end([id for id, result in moved if result is True])
        return [ended[id] if result is True else result or None for id, result in moved]

    def _moved(self, landing: Landing) -> tuple[int, bool | Exception]:
        try:
            return landing.id, self._done.take_near(landing.part, landing.file)
        except Exception as error:  # noqa: BLE001 - one bad file must not stop the others
            return landing.id, error

    async def _end(self, ids: list[int]) -> dict[int, Ended]:
        if not ids:
            return {}
        now = now_ms()

        def work(tx: Tx) -> tuple[Collection[int], Collection[int]]:
            ended = store.finish(tx.conn, ids, now)
            # Nearly all of them have nothing to follow: they need no second transaction.
            packages = set(ended.values())
            packages -= store.with_lists(tx.conn, packages)
            for package_id in packages:
                self._arrived(tx, package_id)
            settled = {id for id, package_id in ended.items() if package_id in packages}
            store.settled(tx.conn, settled)
            return ended, settled

        ended, settled = await self._writes.do(work)
        self._writes.changed("files")
        self.ended.set()
        return {id: Ended(id in ended, id in settled) for id in ids}
