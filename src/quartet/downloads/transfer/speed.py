import time

_OLD, _NEW = 0.6, 0.4
_SHORTEST = 0.4  # seconds; shorter intervals would measure the scheduler


class SpeedMeter:
    def __init__(self, now: float | None = None) -> None:
        self.value = 0.0
        self._at = time.monotonic() if now is None else now
        self._done: int | None = None

    def measure(self, now: float, done: int) -> None:
        seconds = now - self._at
        if self._done is not None and seconds < _SHORTEST:
            return
        if self._done is not None:
            fresh = max(0, done - self._done) / seconds
            self.value = fresh if not self.value else _OLD * self.value + _NEW * fresh
        self._at, self._done = now, done

    def unmeasured(self, done: int) -> int:
        """Return the bytes since the last measurement."""
        return 0 if self._done is None else max(0, done - self._done)
