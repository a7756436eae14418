"""Passes messages from requests to the scheduler."""

from collections import deque
from collections.abc import Collection
from typing import NamedTuple

from quartet.downloads.signal import Signal


class Leftovers(NamedTuple):
    """Files of deleted downloads that are still on the disk."""

    ids: Collection[int]
    # Finished files, relative to the done folder.
    files: Collection[str]


class SchedulerInbox:
    """Thread-safe: every method may be called from any thread."""

    def __init__(self) -> None:
        self.signal = Signal()
        self._leftovers: deque[Leftovers] = deque()
        self.woken = True

    def wake(self) -> None:
        """Make the scheduler read the queue again."""
        self.woken = True
        self.signal.set()

    def slot_free(self) -> None:
        """Let the scheduler start the next download without reading the queue again."""
        self.signal.set()

    def was_woken(self) -> bool:
        """Return whether `wake` was called since the last call."""
        woken, self.woken = self.woken, False
        return woken

    def delete_files(self, ids: Collection[int], files: Collection[str]) -> None:
        self._leftovers.append(Leftovers(ids, files))
        self.wake()

    def leftovers(self) -> list[Leftovers]:
        """Return the leftovers added since the last call."""
        return [self._leftovers.popleft() for _ in range(len(self._leftovers))]
