"""How often and when to ask again after a connection broke."""

import time

from quartet.downloads.transfer.types import Patience

_REAL_PROGRESS = 64 * 1024  # less than this between two failures is none


class Retries:
    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._failures = 0
        self._done = 0
        self._not_before = 0.0

    @property
    def waiting(self) -> bool:
        return time.monotonic() < self._not_before

    def well(self) -> None:
        self._failures = 0
        self._not_before = 0.0

    def failed(self, done: int) -> float | None:
        """Seconds to wait, nothing when it was too often."""
        if done - self._done >= _REAL_PROGRESS:
            self._failures = 0
        self._done = done
        self._failures += 1
        if self._failures > self._patience.retries:
            return None
        delay = self._patience.first_delay * 2.0 ** (self._failures - 1)
        self._not_before = time.monotonic() + delay
        return delay
