"""Detects connections that send nothing, or almost nothing."""

from quartet.downloads.transfer.types import Timeouts


class StallDetector:
    """Is called again and again with the time and the number of received bytes."""

    def __init__(self, now: float, received: int) -> None:
        self.restart(now, received)

    def restart(self, now: float, received: int) -> None:
        self.since = self._last = now
        self._mark = self._seen = received

    def stalled(self, now: float, received: int, timeouts: Timeouts) -> float | None:
        """Return for how long the connection was too slow, or None."""
        if received != self._seen:
            self._seen, self._last = received, now
        # A connection that stops after a fast start must not wait for the end of another window.
        silent = now - self._last
        if silent >= timeouts.window:
            return silent
        seconds = now - self.since
        if seconds < timeouts.window:
            return None
        if received - self._mark < timeouts.lowest_speed * seconds:
            return seconds
        self.since, self._mark = now, received
        return None
