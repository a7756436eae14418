"""The last steps of downloads whose bytes are all there, many together."""

import asyncio
import time
from collections.abc import Callable

from quartet.downloads.queue import store_arrivals as store
from quartet.downloads.queue.finishing import DoneFolder
from quartet.downloads.queue.syncing import this_boot
from quartet.downloads.queue.together import Together
from quartet.downloads.queue.types import Ended, Move
from quartet.downloads.queue.writes import Writes
from quartet.downloads.signal import Signal
from quartet.kernel.db import Database, Tx

# Nobody waits for these steps: the slot of a download is free already.
_SECONDS = 0.04


class Arrivals:
    """`arrived` is told the package of each download that is finished, with nothing to follow."""

    def __init__(
        self,
        db: Database,
        writes: Writes,
        done: DoneFolder,
        arrived: Callable[[Tx, int], None],
    ) -> None:
        self._db = db
        self._writes = writes
        self._done = done
        self._arrived = arrived
        # Set when something has come to the done folder.
        self.ended = Signal()
        self._looking: Together[int, list[str] | None] = Together(self._look, _SECONDS)
        self._announcing: Together[Move, str | None] = Together(self._announce, _SECONDS)
        self._ending: Together[int, Ended] = Together(self._end, _SECONDS)

    async def lists(self, id: int) -> list[str] | None:
        """Lists of checksums that arrived before it; nothing when the download is gone."""
        return await self._looking.do(id)

    async def announce(self, move: Move) -> str | None:
        """Where the file may go, written down first: after a crash it is found there.

        Nothing when the download was paused or deleted in the meantime.
        """
        return await self._announcing.do(move)

    async def end(self, id: int) -> Ended:
        return await self._ending.do(id)

    async def _look(self, ids: list[int]) -> list[list[str] | None]:
        found = await self._db.read(store.lists, ids)
        return [found.get(id) for id in ids]

    async def _announce(self, moves: list[Move]) -> list[str | Exception | None]:
        folders = await self._db.read(store.folders, [move.id for move in moves])
        places = await asyncio.to_thread(self._places, moves, folders)
        placed = [
            move._replace(file=place)
            for move, place in zip(moves, places, strict=True)
            if isinstance(place, str)
        ]
        wanted = await self._writes.do(lambda tx: store.about_to_move(tx.conn, placed))
        return [
            place if move.id in wanted or isinstance(place, Exception) else None
            for move, place in zip(moves, places, strict=True)
        ]

    def _places(self, moves: list[Move], folders: dict[int, str]) -> list[str | Exception | None]:
        return [
            self._place(folders[move.id], move.name) if move.id in folders else None
            for move in moves
        ]

    def _place(self, folder: str, name: str) -> str | Exception:
        try:
            return self._done.free_place(folder, name)
        except Exception as error:  # noqa: BLE001 - one bad name must not stop the others
            return error

    async def _end(self, ids: list[int]) -> list[Ended]:
        now = time.time_ns() // 1_000_000

        def work(tx: Tx) -> tuple[set[int], dict[int, int]]:
            ended = store.finish(tx.conn, ids, now, this_boot())
            # Nearly all of them: they need no second transaction.
            settled = store.without_lists(tx.conn, ended)
            for package_id in dict.fromkeys(settled.values()):
                self._arrived(tx, package_id)
            store.settled(tx.conn, settled.keys())
            return ended, settled

        ended, settled = await self._writes.do(work)
        self._writes.changed("files")
        self.ended.set()
        return [Ended(id in ended, id in settled) for id in ids]
