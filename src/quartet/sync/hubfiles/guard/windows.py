"""Counts the files that a device removed or replaced within the last minutes."""

from collections import OrderedDict
from typing import NamedTuple

from quartet.sync.hub.types import Action

WINDOW_SECONDS = 300.0
# Far more than the guard needs to hold a share.
MOST_PATHS = 100_000


class Change(NamedTuple):
    at: float
    action: Action
    # When the device changed the file for the first time.
    first: float


class ChangeWindow:
    """The last change of each path; only deleted and replaced files count."""

    def __init__(self) -> None:
        self._last: OrderedDict[str, Change] = OrderedDict()
        self._lost = 0

    def add(self, now: float, path: str, action: Action) -> None:
        before = self._last.pop(path, None)
        if before is not None:
            self._lost -= before.action != "added"
            if before.action == "replaced" and action == "added":
                # Only its time or its rights have changed since, for which the hub does not ask.
                action = "replaced"
        if len(self._last) >= MOST_PATHS:
            self._forget()
        self._last[path] = Change(now, action, before.first if before else now)
        self._lost += action != "added"

    def lost(self, now: float) -> int:
        while self._last and next(iter(self._last.values())).at < now - WINDOW_SECONDS:
            self._forget()
        return self._lost

    def lost_since(self, at: float, most: int) -> int:
        """Return the number of files since a point in time, counted up to `most`."""
        found = 0
        for each in reversed(self._last.values()):
            if each.at < at or found >= most:
                break
            found += each.action != "added"
        return found

    @property
    def added(self) -> int:
        """Return the number of new files."""
        return len(self._last) - self._lost

    def files_before(self, left: int | None) -> int | None:
        """Return the number of files before the changes; None if it is unknown."""
        return None if left is None else max(left + self._lost - self.added, 0)

    def added_paths(self) -> list[str]:
        return [path for path, each in self._last.items() if each.action == "added"]

    def is_lost(self, path: str) -> bool:
        found = self._last.get(path)
        return found is not None and found.action != "added"

    def remove(self, path: str) -> bool:
        """Do not count a path, because its file was only moved; return False if it is unknown."""
        before = self._last.pop(path, None)
        if before is not None:
            self._lost -= before.action != "added"
        return before is not None

    def lost_files(self) -> dict[str, Change]:
        return {path: each for path, each in self._last.items() if each.action != "added"}

    def _forget(self) -> None:
        self._lost -= self._last.popitem(last=False)[1].action != "added"

    @property
    def is_empty(self) -> bool:
        return not self._last
