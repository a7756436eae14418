"""Regular expressions written by users, compiled and run under time and memory limits.

A short pattern such as `((a{1,50}){1,50}){1,50}` can cost gigabytes to compile, and no library
limits that. Every pattern therefore runs in a child process, which is replaced when it dies.
"""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import BinaryIO, cast

import msgspec

from quartet.kernel.pattern_worker import (
    PatternReply,
    PatternRequest,
    decode_text,
    encode_text,
    read_frame,
    write_frame,
)
from quartet.kernel.supervisor import BackgroundTask

# Fallback for a child that waits instead of computing; CPU time is limited by the child itself.
REPLY_SECONDS = 10.0
TEXTS_PER_REQUEST = 1000
LONGEST_PATTERN = 1000
# How often the child process is stopped, so that it needs no memory while it is not used.
_STOP_SECONDS = 300.0
_TIMED_OUT = PatternReply(error="too_slow")


class PatternError(Exception):
    """A pattern was refused. `kind` is invalid, too_large, too_slow or group_unknown."""

    def __init__(self, kind: str, *, position: int = 0, group: str = "") -> None:
        super().__init__(kind)
        self.kind = kind
        self.position = position
        self.group = group


class UserPatterns:
    """Runs patterns in one child process, which starts at the first use. Methods block."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None

    def substitute(
        self,
        pattern: str,
        replacement: str,
        texts: Sequence[str],
        *,
        case_sensitive: bool,
        count: int = 0,
    ) -> list[str]:
        """Replace matches in each text; `count` 0 replaces all of them."""
        done: list[str] = []
        for some in _batches(texts):
            request = PatternRequest(pattern, case_sensitive, some, replacement, count)
            done += map(decode_text, self._run(request).replaced or [])
        return done

    def search(
        self, pattern: str, texts: Sequence[str], *, case_sensitive: bool
    ) -> list[tuple[int, int] | None]:
        """Return start and end of the first match in each text."""
        found: list[tuple[int, int] | None] = []
        for some in _batches(texts):
            request = PatternRequest(pattern, case_sensitive, some)
            found += self._run(request).spans or []
        return found

    def close(self) -> None:
        with self._lock:
            self._stop()

    def _run(self, request: PatternRequest) -> PatternReply:
        if len(request.pattern) > LONGEST_PATTERN:
            raise PatternError("too_large")
        with self._lock:
            reply = self._exchange(request)
        if reply.error:
            raise PatternError(reply.error, position=reply.position, group=reply.group)
        return reply

    def _exchange(self, request: PatternRequest) -> PatternReply:
        child = self._child or self._start()
        watchdog = threading.Timer(REPLY_SECONDS, child.kill)
        watchdog.start()
        try:
            write_frame(cast("BinaryIO", child.stdin), msgspec.msgpack.encode(request))
            body = read_frame(cast("BinaryIO", child.stdout))
        except BrokenPipeError:
            body = None
        finally:
            watchdog.cancel()
        reply = msgspec.msgpack.decode(body, type=PatternReply) if body else _TIMED_OUT
        # A child that died or ran out of memory is replaced, which also releases that memory.
        if reply.error in ("too_large", "too_slow"):
            self._stop()
        return reply

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "quartet.kernel.pattern_worker"]
        self._child = subprocess.Popen(  # noqa: S603 - our own module, no shell
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # An interrupt at the terminal is meant for the parent, which then ends its children.
            start_new_session=True,
        )
        return self._child

    def _stop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.communicate()


def pattern_worker_task(patterns: UserPatterns) -> BackgroundTask:
    """Stop the child process that runs patterns now and then, and at shutdown."""

    async def run() -> None:
        try:
            while True:
                await asyncio.sleep(_STOP_SECONDS)
                await asyncio.to_thread(patterns.close)
        finally:
            patterns.close()

    return BackgroundTask("patterns", run)


def _batches(texts: Sequence[str]) -> Iterator[list[bytes]]:
    for start in range(0, len(texts), TEXTS_PER_REQUEST):
        yield [encode_text(text) for text in texts[start : start + TEXTS_PER_REQUEST]]
