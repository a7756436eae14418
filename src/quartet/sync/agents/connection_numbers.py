"""Numbers a device's connections, to tell which one is the newest, even across servers."""

import asyncio

from quartet.kernel.db import Database, Tx
from quartet.sync.config.store import devices


class ConnectionNumbers:
    """Numbers requested during a write are assigned in one batch afterwards."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._waiting: dict[int, list[asyncio.Future[int | None]]] = {}
        self._writing: asyncio.Task[None] | None = None

    async def next(self, device_id: int) -> int | None:
        """Return the next number, or None for a removed device; always 0 on a single server."""
        if self._db.kind == "sqlite":
            return 0
        number: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(device_id, []).append(number)
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        return await number

    async def _write(self) -> None:
        try:
            while self._waiting:
                # At most one connection per device, because each needs its own number.
                batch = {id: numbers.pop(0) for id, numbers in self._waiting.items()}
                self._waiting = {id: rest for id, rest in self._waiting.items() if rest}
                await self._number(batch)
        finally:
            self._writing = None

    async def _number(self, batch: dict[int, asyncio.Future[int | None]]) -> None:
        try:
            found = await self._db.write(_next, sorted(batch))
        except Exception as error:  # noqa: BLE001 - passed on to the waiting callers
            for number in batch.values():
                if not number.done():
                    number.set_exception(error)
            return
        for device_id, number in batch.items():
            if not number.done():
                number.set_result(found.get(device_id))


def _next(tx: Tx, device_ids: list[int]) -> dict[int, int]:
    return devices.next_generations(tx.conn, device_ids)
