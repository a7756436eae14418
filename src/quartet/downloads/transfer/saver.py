"""Makes progress durable, in a thread of its own: waiting for a disk must not stop a transfer."""

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue

from quartet.downloads.transfer import control
from quartet.downloads.transfer.control import Control
from quartet.kernel.errors import AppError

log = logging.getLogger("quartet.downloads.transfer")

Act = Callable[[], None]


class Saver:
    """Does one thing after the other, so a removal cannot be overtaken by an older save."""

    def __init__(self) -> None:
        self._acts: SimpleQueue[Act | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="transfer-saver", daemon=True)
        self._thread.start()

    def save(self, part: Path, fd: int, state: Control, then: Act) -> None:
        """Closes `fd`. Only what the disk has confirmed is written down."""

        def act() -> None:
            try:
                os.fdatasync(fd)
                control.save(part, state)
            finally:
                os.close(fd)

        self._acts.put(lambda: self._attempt(act, then))

    def discard(self, part: Path, then: Act) -> None:
        self._acts.put(lambda: self._attempt(lambda: control.discard(part), then))

    def forget(self, part: Path, then: Act) -> None:
        self._acts.put(lambda: self._attempt(lambda: control.forget(part), then))

    def after(self, then: Act) -> None:
        """When everything asked before is done."""
        self._acts.put(then)

    def stop(self) -> None:
        self._acts.put(None)
        self._thread.join()

    def _run(self) -> None:
        while act := self._acts.get():
            act()

    def _attempt(self, act: Act, then: Act) -> None:
        try:
            act()
        except (OSError, AppError) as error:
            # The last state on the disk stays true: less is resumed, nothing is wrong.
            log.warning("progress not saved: %s", error)
        then()
