"""Counts the files that a device removed from a folder within the last minute."""

from collections import OrderedDict

WINDOW_SECONDS = 60.0
# Far more than the guard needs to hold a share.
MOST_PATHS = 100_000


class DeletionWindow:
    """The last action on each path: a deletion counts +1 and a write counts -1.

    So a moved file counts 0, and a file that is written and then deleted counts 1.
    """

    def __init__(self) -> None:
        self._last: OrderedDict[str, tuple[float, int]] = OrderedDict()
        self._gone = 0

    def add(self, now: float, path: str, *, deleted: bool) -> None:
        self._gone -= self._last.pop(path, (now, 0))[1]
        if len(self._last) >= MOST_PATHS:
            self._forget()
        count = 1 if deleted else -1
        self._last[path] = (now, count)
        self._gone += count

    def gone(self, now: float) -> int:
        while self._last and next(iter(self._last.values()))[0] < now - WINDOW_SECONDS:
            self._forget()
        return self._gone

    def _forget(self) -> None:
        self._gone -= self._last.popitem(last=False)[1][1]

    @property
    def is_empty(self) -> bool:
        return not self._last
