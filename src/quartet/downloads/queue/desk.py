"""Where requests leave word for the scheduler."""

from collections import deque
from collections.abc import Collection
from typing import NamedTuple

from quartet.downloads.signal import Signal


class Leftovers(NamedTuple):
    """What deleted downloads leave on the disk."""

    ids: Collection[int]
    # Finished files, below the done folder.
    files: Collection[str]


class Desk:
    """Every method may be called from any thread."""

    def __init__(self) -> None:
        self.signal = Signal()
        self._leftovers: deque[Leftovers] = deque()
        self.woken = True

    def wake(self) -> None:
        """Something may have changed in the list."""
        self.woken = True
        self.signal.set()

    def slot_free(self) -> None:
        """Nothing has changed, but the next one may begin."""
        self.signal.set()

    def was_woken(self) -> bool:
        """Since the last call."""
        woken, self.woken = self.woken, False
        return woken

    def clear_away(self, ids: Collection[int], files: Collection[str]) -> None:
        self._leftovers.append(Leftovers(ids, files))
        self.wake()

    def leftovers(self) -> list[Leftovers]:
        """What was put here since the last call."""
        return [self._leftovers.popleft() for _ in range(len(self._leftovers))]
