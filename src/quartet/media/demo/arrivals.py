"""Releases that arrive while the demo runs."""

import asyncio
from pathlib import Path

from quartet.media.demo.past_weeks import PAST_FILES
from quartet.media.demo.releases import releases, write_release
from quartet.media.inbox.service import Inbox
from quartet.media.watch.service import WatchFolders

# Folders of the demo: files in the first one are moved at once, in the second one after review.
DOWNLOADS, INCOMING = "downloads", "incoming"
# Every fourth arrival needs review, unless several are waiting already.
_REVIEWED = 4
_MOST_WAITING = 5
_ARRIVED_FILE = "demo-arrivals"


class Arrivals:
    """Puts the next release into a watch folder; the demo continues where it stopped."""

    def __init__(self, data: Path, files: Path, inbox: Inbox, watch_folders: WatchFolders) -> None:
        self._counter = data / _ARRIVED_FILE
        self._files = files
        self._inbox = inbox
        self._watch_folders = watch_folders

    async def arrive(self) -> None:
        watched = {Path(each.path) for each in await self._watch_folders.all() if each.enabled}
        # Files that arrive before the folder is watched would be ignored.
        if self._files / DOWNLOADS in watched:
            waiting = (await self._inbox.page(None, 1)).total
            await asyncio.to_thread(self._write, waiting)

    def _write(self, waiting: int) -> None:
        number = int(self._counter.read_text()) if self._counter.exists() else 0
        left = releases()[PAST_FILES + number :]
        if not left:
            return
        reviewed = number % _REVIEWED == _REVIEWED - 1 and waiting < _MOST_WAITING
        write_release(self._files / (INCOMING if reviewed else DOWNLOADS), left[0])
        self._counter.write_text(str(number + 1))
