"""Token buckets for speed limits: for all jobs, for a group of jobs and for one job."""

import time
from collections.abc import Callable
from threading import Lock

_BURST = 0.25  # seconds of tokens that a late wake-up may catch up with
_QUANTUM = 0.03  # seconds of tokens worth waking up for


class Bucket:
    """A token bucket. A large read may overdraw it; then all readers wait until it is refilled."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._level = 0.0
        self._filled = clock()
        self._lock = Lock()

    def change(self, rate: float) -> None:
        """Set a new rate and forget what was overdrawn at the old one."""
        with self._lock:
            self._rate = rate
            self._level = 0.0
            self._filled = self._clock()

    def take(self, count: int) -> None:
        with self._lock:
            self._level -= count

    def wait(self) -> float:
        """Return the seconds until reading is allowed again; 0 means now."""
        with self._lock:
            now = self._clock()
            self._level += (now - self._filled) * self._rate
            self._level = min(self._level, self._rate * _BURST)
            self._filled = now
            return 0.0 if self._level > 0 else _QUANTUM - self._level / self._rate


class LimitBuckets:
    """The buckets by scope; a request looks up the ones that apply to it."""

    def __init__(self) -> None:
        self._buckets: dict[tuple[str, int], Bucket] = {}

    def set(self, scope: tuple[str, int], rate: float | None) -> None:
        if not rate:
            self._buckets.pop(scope, None)
        elif scope in self._buckets:
            self._buckets[scope].change(rate)
        else:
            self._buckets[scope] = Bucket(rate)

    def buckets_for(self, job: int, group: int | None) -> tuple[Bucket, ...]:
        scopes = [ALL_JOBS, job_scope(job)] + ([group_scope(group)] if group is not None else [])
        found = [self._buckets.get(scope) for scope in scopes]
        return tuple(bucket for bucket in found if bucket)


ALL_JOBS = ("all", 0)


def job_scope(job: int) -> tuple[str, int]:
    return ("job", job)


def group_scope(group: int) -> tuple[str, int]:
    return ("group", group)
