"""Saves checkpoints of part files in the background, and removes or keeps them at the end."""

import logging
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue

from quartet.downloads.transfer import checkpoint
from quartet.downloads.transfer.checkpoint import Checkpoint
from quartet.downloads.transfer.part_file import PartFile
from quartet.downloads.transfer.types import Failed, Finished, Job, Outcome, Paused
from quartet.kernel.errors import AppError

log = logging.getLogger("quartet.downloads.transfer")

Action = Callable[[], None]


class CheckpointWriter:
    """A thread that writes checkpoints, so that transfers never wait for the disk.

    Actions run in order, so that an older save cannot overtake a removal.
    """

    def __init__(self) -> None:
        self._actions: SimpleQueue[Action | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="transfer-saver", daemon=True)
        self._thread.start()

    def save(self, part: Path, fd: int, state: Checkpoint, then: Action) -> None:
        """Sync the part file, then write its checkpoint; closes `fd`."""

        def action() -> None:
            try:
                os.fdatasync(fd)
                checkpoint.save(part, state)
            finally:
                os.close(fd)

        self._actions.put(lambda: self._attempt(action, then))

    def discard(self, part: Path, then: Action) -> None:
        self._actions.put(lambda: self._attempt(lambda: checkpoint.discard(part), then))

    def remove(self, part: Path, then: Action) -> None:
        self._actions.put(lambda: self._attempt(lambda: checkpoint.remove_checkpoint(part), then))

    def call_after(self, then: Action) -> None:
        """Call `then` after all earlier actions are done."""
        self._actions.put(then)

    def stop(self) -> None:
        self._actions.put(None)
        self._thread.join()

    def _run(self) -> None:
        while action := self._actions.get():
            action()

    def _attempt(self, action: Action, then: Action) -> None:
        try:
            action()
        except (OSError, AppError) as error:
            # The previous checkpoint stays valid; only some progress is lost.
            log.warning("cannot save checkpoint: %s", error)
        then()


class Checkpointer:
    def __init__(
        self,
        job: Job,
        checkpoint_writer: CheckpointWriter,
        every: float,
        report: Callable[[Outcome], None],
    ) -> None:
        self._job = job
        self._every = every
        self._checkpoint_writer = checkpoint_writer
        self._report = report
        self._saving = False
        self._saved_at = time.monotonic()

    def save_if_due(self, now: float, part: PartFile, state: Checkpoint | None) -> None:
        if state is None or self._saving or now - self._saved_at < self._every:
            return
        self._saving = True
        self._checkpoint_writer.save(self._job.part, os.dup(part.fd), state, self._saved)

    def remove(self, then: Callable[[], None]) -> None:
        self._checkpoint_writer.remove(self._job.part, then)

    def end(self, outcome: Outcome, part: PartFile | None, state: Checkpoint | None) -> None:
        def report() -> None:
            self._report(outcome)

        if isinstance(outcome, Paused | Failed) and part and state:
            self._checkpoint_writer.save(self._job.part, part.fd, state, report)
            return
        if part:
            part.close()
        if isinstance(outcome, Finished):
            # A running save would write the checkpoint again after it was removed.
            self._checkpoint_writer.call_after(report) if self._saving else report()
        elif part:
            # Without a checkpoint the bytes cannot be resumed.
            self._checkpoint_writer.discard(self._job.part, report)
        else:
            report()

    def _saved(self) -> None:
        self._saved_at = time.monotonic()
        self._saving = False
