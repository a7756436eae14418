"""The thread that drives libcurl: sockets, timers and calls from other threads."""

import heapq
import itertools
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

from quartet.downloads.transfer.curl import (
    WRITE_ERROR,
    CurlListener,
    CurlRequest,
    Handle,
    Multi,
)

log = logging.getLogger("quartet.downloads.transfer")

_LONGEST_SLEEP = 60.0
_KEPT_HANDLES = 64

Action = Callable[[], None]


class RequestRunner(CurlListener, Protocol):
    collecting: bool

    @property
    def may_collect(self) -> bool: ...
    def collect(self) -> Callable[[bytes], None]: ...
    def process_collected(self) -> bool: ...
    def ended(self, code: int, handle: Handle) -> None: ...


class CurlLoop:
    """Only `post` is thread-safe; libcurl's callbacks may also use `later`."""

    def __init__(self) -> None:
        self._multi = Multi()
        self._posted: deque[Action] = deque()
        self._timers: list[tuple[float, int, Action]] = []
        self._order = itertools.count()
        self._active: dict[Any, tuple[Handle, RequestRunner]] = {}
        self._handles: dict[RequestRunner, Handle] = {}
        # Those whose bodies may be collected.
        self._encrypted: dict[RequestRunner, Handle] = {}
        self._spare: list[Handle] = []
        # Requests that must end although libcurl would continue them.
        self._refused: list[RequestRunner] = []
        self._stopping = False
        self._woken = False
        self._thread = threading.Thread(target=self._run, name="transfer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop from another thread; returns when the last posted action is done."""
        self.post(self._stop)
        self._thread.join()
        # Closed here and not in the loop's thread, which could end before `post` has woken it.
        self._multi.close()

    def post(self, action: Action) -> None:
        """Run an action in the loop's thread; may be called from any thread."""
        self._posted.append(action)
        # The loop's own thread checks for actions before it sleeps, and one call wakes it for many.
        if not self._woken and threading.get_ident() != self._thread.ident:
            self._woken = True
            self._multi.wake()

    def call_later(self, seconds: float, action: Action) -> None:
        heapq.heappush(self._timers, (time.monotonic() + seconds, next(self._order), action))

    def launch(self, runner: RequestRunner, request: CurlRequest) -> None:
        handle = self._spare.pop() if self._spare else Handle()
        handle.prepare(request, runner)
        self._multi.add(handle)
        self._active[handle.curl] = (handle, runner)
        self._handles[runner] = handle
        if not request.is_plain:
            self._encrypted[runner] = handle

    def drop(self, runner: RequestRunner) -> None:
        """End a request; its runner is not notified."""
        handle = self._handles.pop(runner, None)
        if handle is None:
            return
        self._encrypted.pop(runner, None)
        del self._active[handle.curl]
        self._multi.remove(handle)
        handle.clear()
        if len(self._spare) < _KEPT_HANDLES:
            self._spare.append(handle)

    def unpause(self, runner: RequestRunner) -> None:
        handle = self._handles.get(runner)
        if handle:
            code = handle.unpause()
            self._collect()
            if code:
                self._end(handle.curl, code)
            self._end_refused()

    def stop_collecting(self, runner: RequestRunner) -> None:
        """Pass each piece of the body to the runner again."""
        if runner.collecting and (handle := self._handles.get(runner)):
            runner.collecting = False
            handle.set_receiver(runner.receive)

    def _stop(self) -> None:
        self._stopping = True

    def _run(self) -> None:
        while not self._stopping or self._posted:
            self._run_posted()
            self._run_timers()
            sleep = 0.0 if self._posted or self._stopping else self._until_timer()
            for curl, code in self._multi.perform(sleep, self._collect):
                self._end(curl, code)
            self._end_refused()
        for runner in list(self._handles):
            self.drop(runner)

    def _collect(self) -> None:
        """Let the requests process what they have collected; those that refuse it end later.

        Plain bytes arrive so fast that they would leave the cache of the processor before they are
        written, so they are not collected.
        """
        for runner, handle in self._encrypted.items():
            if not runner.collecting:
                if runner.may_collect:
                    handle.set_receiver(runner.collect())
                continue
            try:
                goes_on = runner.process_collected()
            except Exception:  # an error of one download must not end the thread of all others
                log.exception("received bytes cannot be processed")
                goes_on = False
            if not goes_on:
                self._refused.append(runner)

    def _end_refused(self) -> None:
        while self._refused:
            if handle := self._handles.get(self._refused.pop()):
                self._end(handle.curl, WRITE_ERROR)

    def _end(self, curl: Any, code: int) -> None:
        if curl not in self._active:
            return
        handle, runner = self._active[curl]
        _run_safely(lambda: runner.ended(code, handle))
        self.drop(runner)

    def _run_posted(self) -> None:
        # Reset first: an action that is posted from now on wakes the loop again.
        self._woken = False
        while self._posted:
            _run_safely(self._posted.popleft())

    def _run_timers(self) -> None:
        now = time.monotonic()
        while self._timers and self._timers[0][0] <= now:
            _run_safely(heapq.heappop(self._timers)[2])

    def _until_timer(self) -> float:
        if not self._timers:
            return _LONGEST_SLEEP
        return min(_LONGEST_SLEEP, max(0.0, self._timers[0][0] - time.monotonic()))


def _run_safely(action: Action) -> None:
    try:
        action()
    except Exception:  # an error of one download must not end the thread of all others
        log.exception("action in the transfer loop failed")
