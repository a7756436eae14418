"""Moves complete part files into the done folder, in batches, and marks their downloads."""

import asyncio
import logging
from collections.abc import Callable
from typing import NamedTuple

from quartet.downloads.events import Changed
from quartet.downloads.history import store as history
from quartet.downloads.history.days import number_of, today
from quartet.downloads.options.store import options
from quartet.downloads.queue.batcher import BatchedWrites, Batcher
from quartet.downloads.queue.finish import store
from quartet.downloads.queue.finish.done_folder import DoneFolder, OpenFolders
from quartet.downloads.queue.finish.fsync import this_boot
from quartet.downloads.queue.types import (
    FileTarget,
    FinishResult,
    MovedFile,
    MoveRequest,
    PathRequest,
)
from quartet.downloads.signal import Signal
from quartet.kernel.clock import now_ms
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError

log = logging.getLogger("quartet.downloads.queue")

# Delay between batches. It costs no throughput: the slot of the download is already free.
_BATCH_SECONDS = 0.25
# A batch of this size starts without the delay, long before the scheduler waits for it.
_BATCH_FILES = 40


# Called with the package id of each finished download.
OnFinished = Callable[[Tx, int], None]


class TargetChangedError(Exception):
    """The target folder or the name of the file was changed since it was read."""


class _Outcome(NamedTuple):
    """What became of a file; without a result, it is not at its reserved path yet."""

    file: str
    result: FinishResult | None
    on_other_disk: bool = False


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
        # Called before paths are reserved; what it puts to be written belongs to the same
        # transaction.
        self.before_reserving: Callable[[], None] = lambda: None
        # Set when a file was moved to the done folder.
        self.file_arrived = Signal()
        self._targets: Batcher[int, FileTarget | None] = Batcher(
            self._read_targets, _BATCH_SECONDS, idle, _BATCH_FILES
        )
        self._moves: Batcher[MoveRequest, _Outcome | None] = Batcher(
            self._move_batch, _BATCH_SECONDS, idle, _BATCH_FILES
        )

    async def target(self, id: int) -> FileTarget | None:
        """Return the target of the download, or None if it was deleted."""
        return await self._targets.do(id)

    async def move(self, request: MoveRequest) -> MovedFile | None:
        """Move the file to a free path, which is recorded first, so that it can be found after a
        crash, and mark its download.

        Returns None if the download was paused or deleted in the meantime; raises
        TargetChangedError if its folder or name was changed.
        """
        while True:
            outcome = await self._moves.do(request)
            if outcome is None:
                return None
            result = outcome.result
            if outcome.on_other_disk:
                result = await self._move_to_other_disk(request, outcome.file)
            if result:
                return MovedFile(outcome.file, result)

    async def _move_to_other_disk(self, request: MoveRequest, file: str) -> FinishResult | None:
        """Move outside the batch, because copying can take long; return None if the path is taken
        by now.
        """
        moved = await asyncio.to_thread(self._done.move_in, request.part, file, request.cancelled)
        return await self.mark_finished(request.wanted.id) if moved else None

    async def mark_finished(self, id: int) -> FinishResult:
        return (await self._mark_finished([id]))[id]

    async def _read_targets(self, ids: list[int]) -> list[FileTarget | None]:
        found = await self._db.read(store.targets, ids)
        return [found.get(id) for id in ids]

    async def _reserve_paths(self, moves: list[PathRequest]) -> list[str | Exception | None]:
        paths = await asyncio.to_thread(self._free_paths, moves)
        wanted = [
            move._replace(file=path)
            for move, path in zip(moves, paths, strict=True)
            if isinstance(path, str)
        ]
        ids = [move.id for move in wanted]
        self.before_reserving()
        reserved = await self._writes.do(
            lambda tx: store.reserve_paths(tx.conn, wanted, this_boot()), ids
        )
        return [
            _reservation(path, reserved.get(move.id))
            for move, path in zip(moves, paths, strict=True)
        ]

    def _free_paths(self, moves: list[PathRequest]) -> list[str | Exception]:
        with OpenFolders() as opened:
            return [self._free_path(move, opened) for move in moves]

    def _free_path(self, move: PathRequest, opened: OpenFolders) -> str | Exception:
        try:
            folder = "/".join(each for each in (move.folder, move.below) if each)
            return self._done.free_path(folder, move.name, opened)
        except Exception as error:  # noqa: BLE001 - one bad name must not stop the others
            return error

    async def _move_batch(self, requests: list[MoveRequest]) -> list["_Outcome | Exception | None"]:
        paths = await self._reserve_paths([each.wanted for each in requests])
        reserved = [
            (request, path)
            for request, path in zip(requests, paths, strict=True)
            if isinstance(path, str) and request.on_reserved(path)
        ]
        renamed = await asyncio.to_thread(self._rename, reserved)
        ended = await self._mark_finished([id for id, result in renamed.items() if result is True])
        files = {request.wanted.id: path for request, path in reserved}

        def outcome(id: int, path: str | Exception | None) -> _Outcome | Exception | None:
            if id not in files:
                return path if isinstance(path, Exception) else None
            result = renamed[id]
            if isinstance(result, AppError) and result.code == "different_mount":
                return _Outcome(files[id], None, on_other_disk=True)
            return result if isinstance(result, Exception) else _Outcome(files[id], ended.get(id))

        return [
            outcome(request.wanted.id, path) for request, path in zip(requests, paths, strict=True)
        ]

    def _rename(self, moves: list[tuple[MoveRequest, str]]) -> dict[int, bool | Exception]:
        """Return by download id whether the path was free, or the error."""
        with OpenFolders() as opened:
            return {move.wanted.id: self._try_rename(move, path, opened) for move, path in moves}

    def _try_rename(self, request: MoveRequest, path: str, opened: OpenFolders) -> bool | Exception:
        try:
            return self._done.rename_in(request.part, path, opened)
        except Exception as error:  # noqa: BLE001 - one bad file must not stop the others
            return error

    async def _mark_finished(self, ids: list[int]) -> dict[int, FinishResult]:
        if not ids:
            return {}
        now = now_ms()

        def work(tx: Tx) -> dict[int, FinishResult]:
            ended = store.finish(tx.conn, ids, now)
            if options(tx.conn).history_days:
                history.add(tx.conn, [each.entry for each in ended], now, number_of(today()))
            # Nearly all downloads need no follow-up work and are settled in this same transaction.
            for package_id in {each.package_id for each in ended if not each.unsettled}:
                self._on_finished(tx, package_id)
            return {each.id: FinishResult(True, not each.unsettled) for each in ended}

        ended = await self._writes.do(work, ids)
        self._writes.changed(Changed("files"))
        self.file_arrived.set()
        return {id: ended.get(id, FinishResult(False, False)) for id in ids}


def _reservation(path: str | Exception, reserved: bool | None) -> str | Exception | None:
    if isinstance(path, Exception) or reserved is None:
        return path if isinstance(path, Exception) else None
    return path if reserved else TargetChangedError()
