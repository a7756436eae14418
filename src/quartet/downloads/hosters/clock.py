import time
from collections.abc import Iterator
from contextlib import contextmanager


class Clock:
    """How much time a call has left; while a person or a countdown is waited for, it stands.

    Read in one thread and stopped in another: each change is a single assignment.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._began = time.monotonic()
        self._standing = 0
        self._stood_since = 0.0
        # Seconds of all countdowns so far.
        self.waited = 0.0

    @property
    def left(self) -> float:
        now = self._stood_since if self._standing else time.monotonic()
        return self._seconds - (now - self._began)

    @contextmanager
    def waiting(self, countdown: float = 0.0) -> Iterator[None]:
        if not self._standing:
            self._stood_since = time.monotonic()
        self._standing += 1
        self.waited += max(countdown, 0.0)
        try:
            yield
        finally:
            self._standing -= 1
            if not self._standing:
                self._began += time.monotonic() - self._stood_since
