"""Recognizes files that a device only moves, so that they do not count as deleted."""

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress

from quartet.kernel.errors import AppError
from quartet.sync.hub.types import Action, Hub, PendingChange, PendingChanges
from quartet.sync.hubfiles.guard.counting import Counted, Move, count_files, name_of
from quartet.sync.hubfiles.guard.windows import WINDOW_SECONDS, ChangeWindow

Expected = dict[str, tuple[Action, Move]]
_NOTHING: tuple[float, Expected] = (0.0, {})


class Moves:
    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        # By folder: until when changes of moved files are expected, and which of each path.
        self._expected: dict[str, tuple[float, Expected]] = {}

    async def count(
        self, folder: str, pending: PendingChanges, windows: Mapping[str, ChangeWindow]
    ) -> Counted:
        """Divide the pending changes into lost and moved files; `windows` are those by device."""
        arrived = await self._arrived(folder, pending, windows)
        return count_files([*pending.changes, *arrived])

    async def _arrived(
        self, folder: str, pending: PendingChanges, windows: Mapping[str, ChangeWindow]
    ) -> list[PendingChange]:
        """Return new files that the hub already has, under the names of files to be deleted.

        Devices announce new files first, and new files do not wait.
        """
        names = {
            (each.device, name_of(each.path))
            for each in pending.changes
            if each.action == "deleted"
        }
        waiting = {each.path for each in pending.changes}
        found = {
            path: device
            for device, window in windows.items()
            for path in window.added_paths()
            if (device, name_of(path)) in names and path not in waiting
        }
        # Known from an earlier check; with many files the deletions take minutes.
        _, expected = self._expected.get(folder, _NOTHING)
        for each in pending.changes:
            action, move = expected.get(each.path, (None, None))
            if move and action == each.action == "deleted" and move.after not in waiting:
                found[move.after] = move.device
        sizes: dict[str, int] = {}
        if found:
            with suppress(AppError):
                sizes = await self._hub.sizes(folder, list(found))
        return [PendingChange(path, found[path], "added", size) for path, size in sizes.items()]

    def expect(
        self, folder: str, moved: Iterable[Move], windows: Mapping[str, ChangeWindow]
    ) -> None:
        """Count neither the new files of these moves nor the deletions of the previous ones."""
        _, paths = self._expected.get(folder, (0.0, Expected()))
        for move in moved:
            paths[move.before] = ("deleted", move)
            window = windows.get(move.device)
            if window is None or not window.remove(move.after):
                paths[move.after] = ("added", move)
        if paths:
            self._expected[folder] = (time.monotonic() + WINDOW_SECONDS, paths)

    def take(self, folder: str, path: str) -> bool:
        """Return True once for each path that was expected."""
        until, paths = self._expected.get(folder, _NOTHING)
        if paths.pop(path, None) is None:
            return False
        now = time.monotonic()
        if paths:
            # The others follow one by one.
            self._expected[folder] = (max(until, now + WINDOW_SECONDS), paths)
        else:
            del self._expected[folder]
        return now < until
