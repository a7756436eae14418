"""Keeps the demo moving: the devices change files."""

import asyncio
from itertools import count
from pathlib import Path

from quartet.kernel.demo import demo_loop
from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.demo.files import KIB, change_note, change_photo

PAUSE_SECONDS = 90.0
# How much of the pause the desktop needs for a photo.
_BUSY = 0.85
_NOTE_EVERY = 3


class DemoChanges:
    """A photo on the laptop that the desktop receives slowly, and now and then a note."""

    def __init__(self, laptop: Path, desktop: Path, kib_per_second: int) -> None:
        self._laptop = laptop
        self._desktop = desktop
        self._kib_per_second = kib_per_second
        self._numbers = count(1)

    def loop(self) -> BackgroundTask:
        return demo_loop(PAUSE_SECONDS, self.run_once, "demo changes")

    async def run_once(self) -> None:
        # The folder is the last one that the demo shares.
        if (self._desktop / "Photos").exists():
            await asyncio.to_thread(self._change, next(self._numbers))

    def _change(self, number: int) -> None:
        change_photo(self._laptop, number, int(_BUSY * PAUSE_SECONDS * self._kib_per_second * KIB))
        if number % _NOTE_EVERY == 0:
            change_note(self._desktop, number)
