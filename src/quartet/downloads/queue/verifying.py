"""Whether files are what their hoster or a list in their package promises."""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from quartet.downloads.queue import store
from quartet.downloads.queue.finishing import DoneFolder
from quartet.downloads.queue.types import Claimed, Sibling
from quartet.downloads.queue.writes import Writes
from quartet.downloads.transfer import Sum, parse_sums, verify
from quartet.kernel.db import Database
from quartet.kernel.errors import AppError, Problem

LARGEST_LIST = 4 * 1024 * 1024


class Verifying:
    def __init__(self, db: Database, writes: Writes, done: DoneFolder) -> None:
        self._db = db
        self._writes = writes
        self._done = done
        # One file after the other: two at once would only wait for the same disk.
        self.turn = asyncio.Semaphore(1)

    async def expected(self, item: Claimed, name: str, lists: list[str]) -> Sum | None:
        """What is promised about a file: by its link, or by a list that has arrived before it."""
        if item.hash_type and item.hash_value:
            return Sum(name, item.hash_type, item.hash_value)
        return _promised(await asyncio.to_thread(self._sums, lists), name) if lists else None

    async def matches(self, path: Path, expected: Sum, given_up: Callable[[], bool]) -> bool:
        try:
            await asyncio.to_thread(verify, path, expected.kind, expected.value, cancelled=given_up)
        except AppError as error:
            if error.code != "hash_wrong":
                raise
            return False
        return True

    async def judge(
        self,
        package_id: int,
        lists: list[str],
        given_up: Callable[[], bool],
        only: int | None = None,
    ) -> None:
        """Finished files of a package that nobody has compared with these lists yet, or one."""
        sums = await asyncio.to_thread(self._sums, lists)
        for sibling in await self._db.read(store.siblings, package_id):
            promised = _promised(sums, sibling.name) if only in (None, sibling.id) else None
            if promised and sibling.hash_ok is None and not given_up():
                path = self._done.root.path / sibling.file
                # Moved away by somebody: then it is theirs.
                with suppress(FileNotFoundError):
                    ok = await self.matches(path, promised, given_up)
                    await self._note(sibling, promised, ok)

    async def _note(self, sibling: Sibling, promised: Sum, ok: bool) -> None:
        error = None if ok else Problem("hash_wrong", {"kind": promised.kind})
        await self._writes.do(
            lambda tx: store.judged(
                tx.conn, sibling.id, hash_type=promised.kind, hash_ok=ok, error=error
            )
        )

    def _sums(self, files: Iterable[str]) -> list[Sum]:
        found: list[Sum] = []
        for file in files:
            try:
                with self._done.root.open(file) as opened:
                    found += parse_sums(Path(file).name, opened.read(LARGEST_LIST))
            except AppError:
                continue  # moved away by somebody: then nothing is promised
        return found


def _promised(sums: Iterable[Sum], name: str) -> Sum | None:
    # Lists are often written where case does not matter.
    wanted = name.casefold()
    return next((each for each in sums if each.name.casefold() == wanted), None)
