"""Moves complete part files into the done folder, in batches, and runs the work that follows."""

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from pathlib import Path

from quartet.downloads.events import Changed
from quartet.downloads.history import store as history
from quartet.downloads.history.days import number_of, today
from quartet.downloads.options.store import options
from quartet.downloads.options.store import options as read_options
from quartet.downloads.options.types import Options
from quartet.downloads.queue import store_finish as store
from quartet.downloads.queue.batcher import BatchedWrites, Batcher
from quartet.downloads.queue.done_folder import DoneFolder
from quartet.downloads.queue.fsync import this_boot
from quartet.downloads.queue.types import (
    ClaimedDownload,
    FinishedFile,
    FinishedSibling,
    FinishResult,
    MoveRequest,
    PackageTarget,
    PathRequest,
)
from quartet.downloads.signal import Signal
from quartet.downloads.transfer import (
    Checksum,
    is_checksum_list,
    parse_checksum_list,
    verify_checksum,
)
from quartet.kernel.clock import now_ms
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError, Problem

log = logging.getLogger("quartet.downloads.queue")

# Delay between batches. It costs no throughput: the slot of the download is already free.
_BATCH_SECONDS = 0.06
MAX_LIST_BYTES = 4 * 1024 * 1024

# Called with the package id of each finished download.
OnFinished = Callable[[Tx, int], None]


class FolderChangedError(Exception):
    """The target folder of the package was changed since it was read."""


class Finisher:
    """Move complete files into the done folder and mark their downloads as finished.

    `on_finished` is called with the package id of each download that needs no follow-up work.
    Batches wait for more files until `idle` is set, which means that nothing is being fetched.
    """

    def __init__(
        self,
        db: Database,
        writes: BatchedWrites,
        done: DoneFolder,
        on_finished: OnFinished,
        idle: asyncio.Event,
    ) -> None:
        self._db = db
        self._writes = writes
        self._done = done
        self._on_finished = on_finished
        # Set when a file was moved to the done folder.
        self.file_arrived = Signal()
        self._targets: Batcher[int, PackageTarget | None] = Batcher(
            self._read_targets, _BATCH_SECONDS, idle
        )
        self._reservations: Batcher[PathRequest, str | None] = Batcher(
            self._reserve_paths, _BATCH_SECONDS, idle
        )
        self._moves: Batcher[MoveRequest, FinishResult | None] = Batcher(
            self._move_batch, _BATCH_SECONDS, idle
        )

    async def package_target(self, id: int) -> PackageTarget | None:
        """Return the target of the download's package, or None if the download was deleted."""
        return await self._targets.do(id)

    async def reserve_path(self, move: PathRequest) -> str | None:
        """Choose a free path for the file and record it, so that it can be found after a crash.

        Returns None if the download was paused or deleted in the meantime; raises
        FolderChangedError if its folder was changed.
        """
        return await self._reservations.do(move)

    async def move(self, request: MoveRequest) -> FinishResult | None:
        """Move the file to its reserved path; return None if that path is taken by now."""
        try:
            return await self._moves.do(request)
        except AppError as error:
            if error.code != "different_mount":
                raise
        # A move to another disk can take long, so it runs outside the batch.
        moved = await asyncio.to_thread(
            self._done.move_in, request.part, request.file, request.cancelled
        )
        return await self.mark_finished(request.id) if moved else None

    async def mark_finished(self, id: int) -> FinishResult:
        return (await self._mark_finished([id]))[id]

    async def _read_targets(self, ids: list[int]) -> list[PackageTarget | None]:
        found = await self._db.read(store.package_targets, ids)
        return [found.get(id) for id in ids]

    async def _reserve_paths(self, moves: list[PathRequest]) -> list[str | Exception | None]:
        paths = await asyncio.to_thread(lambda: [self._free_path(move) for move in moves])
        reserved = [
            move._replace(file=path)
            for move, path in zip(moves, paths, strict=True)
            if isinstance(path, str)
        ]
        ids = [move.id for move in reserved]
        wanted = await self._writes.do(
            lambda tx: store.reserve_paths(tx.conn, reserved, this_boot()), ids
        )
        return [
            _reservation(move, path, wanted.get(move.id))
            for move, path in zip(moves, paths, strict=True)
        ]

    def _free_path(self, move: PathRequest) -> str | Exception:
        try:
            folder = "/".join(each for each in (move.folder, move.below) if each)
            return self._done.free_path(folder, move.name)
        except Exception as error:  # noqa: BLE001 - one bad name must not stop the others
            return error

    async def _move_batch(
        self, requests: list[MoveRequest]
    ) -> list[FinishResult | Exception | None]:
        moved = await asyncio.to_thread(lambda: [self._try_rename(each) for each in requests])
        ended = await self._mark_finished([id for id, result in moved if result is True])
        return [ended[id] if result is True else result or None for id, result in moved]

    def _try_rename(self, request: MoveRequest) -> tuple[int, bool | Exception]:
        try:
            return request.id, self._done.rename_in(request.part, request.file)
        except Exception as error:  # noqa: BLE001 - one bad file must not stop the others
            return request.id, error

    async def _mark_finished(self, ids: list[int]) -> dict[int, FinishResult]:
        if not ids:
            return {}
        now = now_ms()

        def work(tx: Tx) -> tuple[Collection[int], Collection[int]]:
            ended = store.finish(tx.conn, ids, now)
            if options(tx.conn).history_days:
                history.add(tx.conn, ended, now, number_of(today()))
            # Nearly all downloads need no follow-up work and are settled in this same transaction.
            packages = set(ended.values())
            packages -= store.with_checksum_lists(tx.conn, packages)
            for package_id in packages:
                self._on_finished(tx, package_id)
            settled = {id for id, package_id in ended.items() if package_id in packages}
            store.mark_settled(tx.conn, settled)
            return ended, settled

        ended, settled = await self._writes.do(work, ids)
        self._writes.changed(Changed("files"))
        self.file_arrived.set()
        return {id: FinishResult(id in ended, id in settled) for id in ids}


def _reservation(
    move: PathRequest, path: str | Exception, folder: str | None
) -> str | Exception | None:
    if isinstance(path, Exception) or folder is None:
        return path if isinstance(path, Exception) else None
    return path if folder == move.folder else FolderChangedError()


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
            package = (
                await self._finisher.package_target(finished.id)
                if finished.hash_ok is None
                else None
            )
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
