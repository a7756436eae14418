"""What follows the transfer of a file: it is verified and moved to the done folder."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from quartet.downloads.options.types import Options
from quartet.downloads.queue import store
from quartet.downloads.queue.finish.finisher import TargetChangedError
from quartet.downloads.queue.queue_services import QueueServices
from quartet.downloads.queue.types import (
    ClaimedDownload,
    FileTarget,
    FinishedFile,
    MovedFile,
    MoveRequest,
    PathRequest,
    Phase,
    TaskStopped,
)
from quartet.downloads.transfer import is_checksum_list
from quartet.kernel.errors import Problem

log = logging.getLogger("quartet.downloads.queue")


class ArrivedFile(NamedTuple):
    name: str
    size: int


@dataclass(eq=False)
class Arrival:
    part: Path
    services: QueueServices
    options: Options
    is_stopped: Callable[[], bool]
    phase: Phase | None = None
    # The reserved path.
    file: str | None = None
    moved: bool = False
    _hash_ok: bool | None = None
    # The target folder, if it was already read for the verification.
    _folder: str | None = None

    async def verify(self, item: ClaimedDownload, file: ArrivedFile) -> Problem | None:
        """Return what is wrong with the file, or None if it is correct or has no known checksum."""
        if not self.options.verify_checksums:
            return None
        verifier = self.services.verifier
        target = await self._known_target(item)
        expected = await verifier.expected(item, file.name, target.lists)
        if expected is None:
            self._folder = target.folder
            return None
        self.phase = "hashWait"
        try:
            async with verifier.lock:
                self._raise_if_stopped()
                self.phase = "hashing"
                self._hash_ok = await verifier.matches(self.part, expected, self.is_stopped)
        finally:
            self.phase = None
        result = "correct" if self._hash_ok else "wrong"
        log.debug("download %d verified: %s is %s", item.id, expected.kind, result)
        return None if self._hash_ok else Problem("hash_wrong", {"kind": expected.kind})

    async def finish(self, item: ClaimedDownload, arrived: ArrivedFile) -> None:
        self.phase = "moving"
        if self._hash_ok is not None:
            await self.services.writes.do(
                lambda tx: store.update_unfinished(tx.conn, item.id, hash_ok=self._hash_ok),
                [item.id],
            )
        file, result = await self._move(item, arrived)
        self.moved = True
        if not result.exists:
            # The download was deleted during the move; remove the moved file too.
            await asyncio.to_thread(self.services.done.remove, file)
            return
        log.info("download %d finished: %s (%d bytes)", item.id, file, arrived.size)
        if result.settled:
            return
        self.phase = "hashing" if is_checksum_list(file) else None
        finished = FinishedFile(item.id, item.package_id, file, self._hash_ok)
        await self.services.post_download.run(finished, self.options, self.is_stopped)

    async def is_complete(self, size: int | None) -> bool:
        """Return whether the file is at its reserved path."""
        return self.file is not None and await asyncio.to_thread(
            self.services.done.has_file, self.part, self.file, size
        )

    async def _move(self, item: ClaimedDownload, arrived: ArrivedFile) -> MovedFile:
        folder, name = self._folder, arrived.name
        if folder is None:
            folder = (await self._known_target(item)).folder
        while True:
            self._raise_if_stopped()
            wanted = PathRequest(item.id, folder, name, arrived.size)
            request = MoveRequest(
                wanted, self.part, partial(self._reserved, item.id), self.is_stopped
            )
            try:
                moved = await self.services.finisher.move(request)
            except TargetChangedError:
                target = await self._target(item)
                folder, name = target.folder, target.name or name
                continue
            if moved is None:
                raise TaskStopped
            return moved

    def _reserved(self, id: int, file: str) -> bool:
        if self.is_stopped():
            return False
        self.file = file
        log.debug("download %d is moved to %s", id, file)
        return True

    async def _known_target(self, item: ClaimedDownload) -> FileTarget:
        """Return the target as it was read before the transfer, if that is enough.

        A folder or name that was changed since is noticed when the path is reserved; checksum lists
        that were added since are read once the file has arrived.
        """
        if item.folder is not None:
            return FileTarget(item.folder, [])
        return await self._target(item)

    async def _target(self, item: ClaimedDownload) -> FileTarget:
        target = await self.services.finisher.target(item.id)
        if target is None:
            raise TaskStopped
        return target

    def _raise_if_stopped(self) -> None:
        if self.is_stopped():
            raise TaskStopped
