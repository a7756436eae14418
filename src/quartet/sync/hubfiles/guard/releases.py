"""Lets a release last until everything that a user has released has passed."""

from quartet.sync.hubfiles.guard.counting import Counted
from quartet.sync.hubfiles.guard.service import Holds, Pair


class Releases:
    def __init__(self, holds: Holds) -> None:
        self._holds = holds
        # How many files of each device had not passed yet at the last check.
        self._left: dict[Pair, int] = {}

    def begin(self, folder: str, counted: Counted) -> None:
        self._left.update(((folder, device), len(lost)) for device, lost in counted.lost.items())

    def follow(self, folder: str, counted: Counted) -> None:
        """Extend the releases of devices whose files pass, unless they add further ones."""
        for device, lost in counted.lost.items():
            pair = (folder, device)
            if len(lost) < self._left.get(pair, 0):
                self._holds.extend_release(pair)
            self._left[pair] = len(lost)
