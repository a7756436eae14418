"""The last steps of downloads whose bytes are all there, many together."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from quartet.downloads.queue import store_arrivals as store
from quartet.downloads.queue.finishing import DoneFolder
from quartet.downloads.queue.together import Together
from quartet.downloads.queue.types import Move
from quartet.downloads.queue.writes import Writes
from quartet.kernel.db import Database


class Arrivals:
    """`finished` is told the package of each download that was finished."""

    def __init__(
        self,
        db: Database,
        writes: Writes,
        done: DoneFolder,
        finished: Callable[[int], Awaitable[None]],
    ) -> None:
        self._db = db
        self._writes = writes
        self._done = done
        self._finished = finished
        self._looking: Together[int, list[str] | None] = Together(self._look)
        self._announcing: Together[Move, str | None] = Together(self._announce)
        self._ending: Together[int, bool] = Together(self._end)
        self._telling: Together[int, None] = Together(self._tell)

    async def lists(self, id: int) -> list[str] | None:
        """Lists of checksums that arrived before it; nothing when the download is gone."""
        return await self._looking.do(id)

    async def announce(self, move: Move) -> str | None:
        """Where the file may go, written down first: after a crash it is found there.

        Nothing when the download was paused or deleted in the meantime.
        """
        return await self._announcing.do(move)

    async def end(self, id: int) -> bool:
        """False when the download was deleted in the meantime."""
        return await self._ending.do(id)

    async def tell(self, package_id: int) -> None:
        await self._telling.do(package_id)

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

    async def _end(self, ids: list[int]) -> list[bool]:
        now = time.time_ns() // 1_000_000
        ended = await self._writes.do(lambda tx: store.finish(tx.conn, ids, now))
        self._writes.changed("files")
        return [id in ended for id in ids]

    async def _tell(self, package_ids: list[int]) -> list[None]:
        for package_id in dict.fromkeys(package_ids):
            await self._finished(package_id)
        return [None] * len(package_ids)
