"""Speed limits: for everything, for a group of downloads, for one."""

import time
from collections.abc import Callable
from threading import Lock

_BURST = 0.25  # seconds of tokens a late wake-up may catch up with
_QUANTUM = 0.03  # seconds of tokens worth waking up for


class Bucket:
    """Fills by the clock. What is taken at once may overdraw it; then everybody waits."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._level = 0.0
        self._filled = clock()
        self._lock = Lock()

    def change(self, rate: float) -> None:
        """From now on; what was taken too much at the old rate is forgiven."""
        with self._lock:
            self._rate = rate
            self._level = 0.0
            self._filled = self._clock()

    def take(self, count: int) -> None:
        with self._lock:
            self._level -= count

    def wait(self) -> float:
        """Seconds until somebody may take again; 0 is now."""
        with self._lock:
            now = self._clock()
            self._level += (now - self._filled) * self._rate
            self._level = min(self._level, self._rate * _BURST)
            self._filled = now
            return 0.0 if self._level > 0 else _QUANTUM - self._level / self._rate


class Limits:
    """The buckets by name; a download asks once for those that bind it."""

    def __init__(self) -> None:
        self._buckets: dict[tuple[str, int], Bucket] = {}

    def set(self, scope: tuple[str, int], rate: float | None) -> None:
        if not rate:
            self._buckets.pop(scope, None)
        elif scope in self._buckets:
            self._buckets[scope].change(rate)
        else:
            self._buckets[scope] = Bucket(rate)

    def binding(self, job: int, group: int | None) -> tuple[Bucket, ...]:
        scopes = [EVERYTHING, one(job)] + ([many(group)] if group is not None else [])
        found = [self._buckets.get(scope) for scope in scopes]
        return tuple(bucket for bucket in found if bucket)


EVERYTHING = ("all", 0)


def one(job: int) -> tuple[str, int]:
    return ("job", job)


def many(group: int) -> tuple[str, int]:
    return ("group", group)
