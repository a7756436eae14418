import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class CallTimer:
    """The time a call has left; it is paused while the user or a countdown is waited for.

    `on_waiting` is called with True when such a wait begins and with False when it ends.

    Read in one thread and paused in another; each change is a single assignment.
    """

    def __init__(
        self, seconds: float, on_waiting: Callable[[bool], None] = lambda _waiting: None
    ) -> None:
        self._on_waiting = on_waiting
        self._seconds = seconds
        self._started = time.monotonic()
        self._paused = 0
        self._paused_since = 0.0
        # The total seconds of all countdowns so far.
        self.waited = 0.0

    @property
    def left(self) -> float:
        now = self._paused_since if self._paused else time.monotonic()
        return self._seconds - (now - self._started)

    @contextmanager
    def waiting(self, countdown: float = 0.0) -> Iterator[None]:
        if not self._paused:
            self._paused_since = time.monotonic()
            self._on_waiting(True)
        self._paused += 1
        self.waited += max(countdown, 0.0)
        try:
            yield
        finally:
            self._paused -= 1
            if not self._paused:
                self._started += time.monotonic() - self._paused_since
                self._on_waiting(False)
