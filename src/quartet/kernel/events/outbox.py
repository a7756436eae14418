"""Encoded events waiting to be sent to the backend."""

import asyncio
from collections import deque


class Outbox:
    """Joins queued lines into one message, so that a burst costs one round trip."""

    def __init__(self, lines: int, max_bytes: int) -> None:
        self._limit = lines
        self._max_bytes = max_bytes
        self._lines: deque[bytes] = deque()
        self._filled = asyncio.Event()
        self._sent = asyncio.Event()
        self._sent.set()

    @property
    def full(self) -> bool:
        return len(self._lines) >= self._limit

    def put(self, line: bytes) -> None:
        self._lines.append(line)
        self._filled.set()
        self._sent.clear()

    def clear(self) -> None:
        self._lines.clear()
        self._filled.clear()
        self._sent.set()

    async def next_message(self) -> bytes:
        await self._filled.wait()
        lines = [self._lines.popleft()]
        size = len(lines[0])
        while self._lines and size + 1 + len(self._lines[0]) <= self._max_bytes:
            lines.append(self._lines.popleft())
            size += 1 + len(lines[-1])
        if not self._lines:
            self._filled.clear()
        return b"\n".join(lines)

    def message_sent(self) -> None:
        if not self._lines:
            self._sent.set()

    async def all_sent(self) -> None:
        await self._sent.wait()


def split_lines(message: bytes) -> list[bytes]:
    return message.split(b"\n")
