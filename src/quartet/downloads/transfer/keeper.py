"""What becomes of a part file: saved now and then, and at the end kept, finished or removed."""

import os
import time
from collections.abc import Callable

from quartet.downloads.transfer.control import Control
from quartet.downloads.transfer.part import Part
from quartet.downloads.transfer.saver import Saver
from quartet.downloads.transfer.types import Failed, Finished, Job, Outcome, Paused


class Keeper:
    def __init__(
        self, job: Job, saver: Saver, every: float, report: Callable[[Outcome], None]
    ) -> None:
        self._job = job
        self._every = every
        self._saver = saver
        self._report = report
        self._saving = False
        self._saved_at = time.monotonic()

    def save_if_due(self, now: float, part: Part, state: Control | None) -> None:
        if state is None or self._saving or now - self._saved_at < self._every:
            return
        self._saving = True
        self._saver.save(self._job.part, os.dup(part.fd), state, self._saved)

    def forget(self, then: Callable[[], None]) -> None:
        self._saver.forget(self._job.part, then)

    def end(self, outcome: Outcome, part: Part | None, state: Control | None) -> None:
        def report() -> None:
            self._report(outcome)

        if isinstance(outcome, Paused | Failed) and part and state:
            self._saver.save(self._job.part, part.fd, state, report)
            return
        if part:
            part.close()
        if isinstance(outcome, Finished):
            # A save under way would bring the control file back after it was forgotten.
            self._saver.after(report) if self._saving else report()
        elif part:
            # Without a state nobody could go on with the bytes.
            self._saver.discard(self._job.part, report)
        else:
            report()

    def _saved(self) -> None:
        self._saved_at = time.monotonic()
        self._saving = False
