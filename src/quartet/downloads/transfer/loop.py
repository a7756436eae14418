"""The thread that drives libcurl: sockets, timers and what other threads ask for."""

import heapq
import itertools
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

from quartet.downloads.transfer.curl import Handle, Listener, Multi, Request

log = logging.getLogger("quartet.downloads.transfer")

_LONGEST_SLEEP = 60.0
_KEPT_HANDLES = 64

Act = Callable[[], None]


class Runner(Listener, Protocol):
    def ended(self, code: int, handle: Handle) -> None: ...


class Loop:
    """Everything but `post` is for its own thread; libcurl's callbacks may use `later` only."""

    def __init__(self) -> None:
        self._multi = Multi()
        self._posted: deque[Act] = deque()
        self._timers: list[tuple[float, int, Act]] = []
        self._order = itertools.count()
        self._active: dict[Any, tuple[Handle, Runner]] = {}
        self._handles: dict[Runner, Handle] = {}
        self._spare: list[Handle] = []
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="transfer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """From another thread: returns when the last posted act is done."""
        self.post(self._stop)
        self._thread.join()
        # Not in the loop's own thread: it could be gone before `post` has woken it.
        self._multi.close()

    def post(self, act: Act) -> None:
        """From any thread, also from this one."""
        self._posted.append(act)
        # This thread itself looks before it sleeps again.
        if threading.current_thread() is not self._thread:
            self._multi.wake()

    def later(self, seconds: float, act: Act) -> None:
        heapq.heappush(self._timers, (time.monotonic() + seconds, next(self._order), act))

    def launch(self, runner: Runner, request: Request) -> None:
        handle = self._spare.pop() if self._spare else Handle()
        handle.prepare(request, runner)
        self._multi.add(handle)
        self._active[handle.curl] = (handle, runner)
        self._handles[runner] = handle

    def drop(self, runner: Runner) -> None:
        """Ends a request; its runner hears nothing more."""
        handle = self._handles.pop(runner, None)
        if handle is None:
            return
        del self._active[handle.curl]
        self._multi.remove(handle)
        handle.clear()
        if len(self._spare) < _KEPT_HANDLES:
            self._spare.append(handle)

    def unpause(self, runner: Runner) -> None:
        handle = self._handles.get(runner)
        if handle and (code := handle.unpause()):
            self._end(handle.curl, code)

    def _stop(self) -> None:
        self._stopping = True

    def _run(self) -> None:
        while not self._stopping or self._posted:
            self._act_on_posted()
            self._act_on_timers()
            sleep = 0.0 if self._posted or self._stopping else self._until_timer()
            for curl, code in self._multi.turn(sleep):
                self._end(curl, code)
        for runner in list(self._handles):
            self.drop(runner)

    def _end(self, curl: Any, code: int) -> None:
        if curl not in self._active:
            return
        handle, runner = self._active[curl]
        _guarded(lambda: runner.ended(code, handle))
        self.drop(runner)

    def _act_on_posted(self) -> None:
        while self._posted:
            _guarded(self._posted.popleft())

    def _act_on_timers(self) -> None:
        now = time.monotonic()
        while self._timers and self._timers[0][0] <= now:
            _guarded(heapq.heappop(self._timers)[2])

    def _until_timer(self) -> float:
        if not self._timers:
            return _LONGEST_SLEEP
        return min(_LONGEST_SLEEP, max(0.0, self._timers[0][0] - time.monotonic()))


def _guarded(act: Act) -> None:
    try:
        act()
    except Exception:  # one download's fault must not end the thread of all others
        log.exception("transfer loop")
