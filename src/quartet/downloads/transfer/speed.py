import time

# The speed is the average of this time: servers that limit it send in bursts of up to a second.
_WINDOW = 4.0
_SHORTEST = 0.4  # seconds; shorter intervals would measure the scheduler


class SpeedMeter:
    def __init__(self, now: float | None = None) -> None:
        self.value = 0.0
        self._at = time.monotonic() if now is None else now
        # When it was measured and how many bytes were done then; the first one is at least as old
        # as the window, once there is one.
        self._measured: list[tuple[float, int]] = []

    def measure(self, now: float, done: int) -> None:
        measured = self._measured
        if measured and now - self._at < _SHORTEST:
            return
        if measured and done < measured[-1][1]:
            # It was begun again.
            measured.clear()
        self._at = now
        measured.append((now, done))
        while len(measured) > 2 and measured[1][0] <= now - _WINDOW:
            del measured[0]
        (since, before), (_, newest) = measured[0], measured[-1]
        self.value = (newest - before) / (now - since) if now > since else 0.0

    def unmeasured(self, done: int) -> int:
        """Return the bytes since the last measurement."""
        return max(0, done - self._measured[-1][1]) if self._measured else 0
