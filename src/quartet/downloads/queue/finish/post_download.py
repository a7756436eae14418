"""Verifies checksums, and does the work that follows a finished download."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from quartet.downloads.options.store import options as read_options
from quartet.downloads.options.types import Options
from quartet.downloads.queue.batcher import BatchedWrites, Batcher
from quartet.downloads.queue.finish import store
from quartet.downloads.queue.finish.done_folder import DoneFolder
from quartet.downloads.queue.finish.finisher import Finisher, OnFinished
from quartet.downloads.queue.types import (
    ClaimedDownload,
    FinishedFile,
    FinishedSibling,
)
from quartet.downloads.transfer import (
    Checksum,
    is_checksum_list,
    parse_checksum_list,
    verify_checksum,
)
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError, Problem

log = logging.getLogger("quartet.downloads.queue")

MAX_LIST_BYTES = 4 * 1024 * 1024


class Verifier:
    def __init__(self, db: Database, writes: BatchedWrites, done: DoneFolder) -> None:
        self._db = db
        self._writes = writes
        self._done = done
        # One file at a time, because two would compete for the same disk.
        self.lock = asyncio.Semaphore(1)

    async def expected(self, item: ClaimedDownload, name: str, lists: list[str]) -> Checksum | None:
        """Return the expected checksum of a file: from its link, or from a checksum list."""
        if item.hash_type and item.hash_value:
            return Checksum(name, item.hash_type, item.hash_value)
        return (
            _find_checksum(await asyncio.to_thread(self._read_lists, lists), name)
            if lists
            else None
        )

    async def matches(self, path: Path, expected: Checksum, cancelled: Callable[[], bool]) -> bool:
        try:
            await asyncio.to_thread(
                verify_checksum, path, expected.kind, expected.value, cancelled=cancelled
            )
        except AppError as error:
            if error.code != "hash_wrong":
                raise
            return False
        return True

    async def verify_finished(
        self,
        package_id: int,
        lists: list[str],
        cancelled: Callable[[], bool],
        only: int | None = None,
    ) -> None:
        """Verify the unverified finished files of a package by these lists, or only one of them."""
        checksums = await asyncio.to_thread(self._read_lists, lists)
        for sibling in await self._db.read(store.siblings, package_id):
            checksum = (
                _find_checksum(checksums, sibling.name) if only in (None, sibling.id) else None
            )
            if checksum and sibling.hash_ok is None and not cancelled():
                path = self._done.root.path / sibling.file
                # The user has moved the file away.
                with suppress(FileNotFoundError):
                    ok = await self.matches(path, checksum, cancelled)
                    await self._store_result(sibling, checksum, ok)

    async def _store_result(self, sibling: FinishedSibling, checksum: Checksum, ok: bool) -> None:
        error = None if ok else Problem("hash_wrong", {"kind": checksum.kind})
        await self._writes.do(
            lambda tx: store.set_verified(
                tx.conn, sibling.id, hash_type=checksum.kind, hash_ok=ok, error=error
            ),
            [sibling.id],
        )

    def _read_lists(self, files: Iterable[str]) -> list[Checksum]:
        found: list[Checksum] = []
        for file in files:
            try:
                with self._done.root.open(file) as opened:
                    found += parse_checksum_list(Path(file).name, opened.read(MAX_LIST_BYTES))
            except AppError:
                continue  # moved away by the user
        return found


def _find_checksum(checksums: Iterable[Checksum], name: str) -> Checksum | None:
    # Lists are often written on systems with case-insensitive file names.
    wanted = name.casefold()
    return next((each for each in checksums if each.name.casefold() == wanted), None)


class PostDownload:
    """Verifies a finished file and reports it to its package.

    The database keeps the `unsettled` flag until that is done, so that it survives a restart.
    """

    def __init__(
        self,
        db: Database,
        writes: BatchedWrites,
        verifier: Verifier,
        finisher: Finisher,
        on_finished: OnFinished,
    ) -> None:
        self._db = db
        self._writes = writes
        self._verifier = verifier
        self._finisher = finisher
        self._on_finished = on_finished
        self._notifications: Batcher[FinishedFile, None] = Batcher(self._notify)

    async def run(
        self, finished: FinishedFile, options: Options, cancelled: Callable[[], bool]
    ) -> None:
        if options.verify_checksums:
            try:
                await self._verify(finished, cancelled)
            except AppError as error:
                log.warning("cannot verify %s: %s", finished.file, error.code)
        # If the task was stopped, the next start repeats this step.
        if not cancelled():
            await self._notifications.do(finished)

    async def run_all(self, left: Iterable[FinishedFile]) -> None:
        """Do the follow-up work that the previous process did not get to."""
        options = await self._db.read(read_options)
        for finished in left:
            await self.run(finished, options, lambda: False)

    async def _verify(self, finished: FinishedFile, cancelled: Callable[[], bool]) -> None:
        """Verify the files that a checksum list names, or a file by the lists of its package.

        A list may have arrived while the file was being moved, so the lists are read again.
        """
        lists, only = [finished.file], None
        if not is_checksum_list(finished.file):
            package = await self._finisher.target(finished.id) if finished.hash_ok is None else None
            lists, only = package.lists if package else [], finished.id
        if lists:
            async with self._verifier.lock:
                await self._verifier.verify_finished(finished.package_id, lists, cancelled, only)

    async def _notify(self, batch: list[FinishedFile]) -> list[None]:
        def work(tx: Tx) -> None:
            for package_id in dict.fromkeys(finished.package_id for finished in batch):
                self._on_finished(tx, package_id)
            store.mark_settled(tx.conn, [finished.id for finished in batch])

        # Nothing that is shown changes; a package that is extracted now has its own event.
        await self._writes.do(work, ())
        return [None] * len(batch)
