"""Delays between retries after a broken connection."""

import time

from quartet.downloads.transfer.types import Timeouts

_REAL_PROGRESS = 64 * 1024  # less than this between two failures does not count as progress


class Retries:
    def __init__(self, timeouts: Timeouts) -> None:
        self._timeouts = timeouts
        self._failures = 0
        self._done = 0
        self._not_before = 0.0

    @property
    def waiting(self) -> bool:
        return time.monotonic() < self._not_before

    def reset(self) -> None:
        self._failures = 0
        self._not_before = 0.0

    def next_delay(self, done: int) -> float | None:
        """Return the seconds to wait, or None after too many failures."""
        if done - self._done >= _REAL_PROGRESS:
            self._failures = 0
        self._done = done
        self._failures += 1
        if self._failures > self._timeouts.retries:
            return None
        delay = self._timeouts.first_delay * 2.0 ** (self._failures - 1)
        self._not_before = time.monotonic() + delay
        return delay
