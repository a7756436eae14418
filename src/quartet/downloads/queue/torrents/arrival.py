"""Moves the files of a complete torrent into the done folder."""

import asyncio
import logging
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from quartet.downloads.bittorrent.file_rows import folder_of
from quartet.downloads.options.types import Options
from quartet.downloads.queue.finish.finisher import TargetChangedError
from quartet.downloads.queue.queue_services import QueueServices
from quartet.downloads.queue.torrents.store import TorrentDownload
from quartet.downloads.queue.types import FinishedFile, MoveRequest, PathRequest

log = logging.getLogger("quartet.downloads.queue")

# Files moved at the same time.
MOVES = 50
RESUME = "resume"


class TorrentArrival:
    def __init__(
        self, package_id: int, folder: Path, services: QueueServices, options: Options
    ) -> None:
        self._package_id = package_id
        self._folder = folder
        self._services = services
        self._options = options

    async def move(self, downloads: Sequence[TorrentDownload]) -> None:
        """Move all files; raises the first error after all others were tried."""
        moving = asyncio.Semaphore(MOVES)

        async def move(download: TorrentDownload) -> None:
            async with moving:
                await self._move(download)

        results = await asyncio.gather(*map(move, downloads), return_exceptions=True)
        for error in results:
            if error is not None:
                raise error

    async def _move(self, download: TorrentDownload) -> None:
        finisher, size = self._services.finisher, download.size or 0
        part = self._folder / str(download.torrent_file)
        if size == 0:
            await asyncio.to_thread(part.touch)
        below = folder_of(download.torrent_path or "")
        while True:
            target = await finisher.target(download.id)
            if target is None:
                return
            name = target.name or download.name
            request = PathRequest(download.id, target.folder, name, size, below)
            try:
                moved = await finisher.move(
                    MoveRequest(request, part, lambda _file: True, lambda: False)
                )
            except TargetChangedError:
                continue
            if moved is None:
                return
            break
        file, result = moved
        log.debug("download %d finished: %s (%d bytes)", download.id, file, size)
        if not result.exists:
            await asyncio.to_thread(self._services.done.remove, file)
        elif not result.settled:
            finished = FinishedFile(download.id, self._package_id, file, None)
            await self._services.post_download.run(finished, self._options, lambda: False)


def tidy(folder: Path, *, keep: bool) -> None:
    """Remove the working folder, or only the resume data if files are still to come.

    The moved files are missing, so the next start has to check what is there.
    """
    if keep:
        with suppress(FileNotFoundError):
            (folder / RESUME).unlink()
    else:
        shutil.rmtree(folder, ignore_errors=True)
