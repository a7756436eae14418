"""How many files a device took out of a folder within the last minute."""

from collections import OrderedDict

WINDOW_SECONDS = 60.0
# Long before that a person has been called.
MOST_PATHS = 100_000


class Window:
    """What was last done to each path: gone counts one more, written one less.

    So a file that is moved counts nothing, and one that is written and then deleted counts.
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
