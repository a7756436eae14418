"""A pool of child processes that read files. One that hangs or dies is replaced."""

import asyncio
import contextlib
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path
from typing import TypeVar

import msgspec

from quartet.media.probe.types import Probed

# A picture of at most 4 MB, in base64.
_LONGEST_ANSWER = 6 << 20
T = TypeVar("T")


class ProbeFailed(Exception):
    """The file could not be read: it took too long, or the child process died."""


class ProbePool:
    """`timeout` is in seconds per file."""

    def __init__(self, size: int = 2, timeout: float = 20) -> None:
        self._timeout = timeout
        self._slots = asyncio.Semaphore(size)
        self._idle: list[Process] = []

    async def read(self, path: Path) -> Probed | None:
        """Return None if it is not a media file."""
        return await self._read(path, "", Probed)

    async def cover(self, path: Path) -> bytes | None:
        """Return the picture embedded in a track."""
        return await self._read(path, "cover ", bytes)

    async def _read(self, path: Path, wants: str, shape: type[T]) -> T | None:
        async with self._slots:
            try:
                return await self._try(path, wants, shape)
            except EOFError:
                # The process died, maybe because of an earlier file; try once more.
                await self.close()
            try:
                return await self._try(path, wants, shape)
            except EOFError as error:
                raise ProbeFailed from error

    async def _try(self, path: Path, wants: str, shape: type[T]) -> T | None:
        worker = self._idle.pop() if self._idle else await _start()
        healthy = False
        try:
            async with asyncio.timeout(self._timeout):
                answer = await _ask(worker, path, wants, shape)
            healthy = True
            return answer
        except TimeoutError as error:
            raise ProbeFailed from error
        finally:
            if healthy:
                self._idle.append(worker)
            else:
                await _end(worker)

    async def close(self) -> None:
        """Stop idle processes; new ones are started when needed."""
        while self._idle:
            await _end(self._idle.pop())


async def _start() -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "quartet.media.probe.worker",
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        limit=_LONGEST_ANSWER,
        # Ctrl+C in a terminal should reach only the parent, which stops its children.
        start_new_session=True,
    )


async def _ask(worker: Process, path: Path, wants: str, shape: type[T]) -> T | None:
    if worker.stdin is None or worker.stdout is None:
        raise EOFError
    try:
        # As hex, because a name may contain a line break or bytes that are not text.
        worker.stdin.write(f"{wants}{os.fsencode(path).hex()}\n".encode())
        await worker.stdin.drain()
        line = await worker.stdout.readline()
        return msgspec.json.decode(line, type=shape | None)
    except (ConnectionError, ValueError) as error:
        raise EOFError from error


async def _end(worker: Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        worker.kill()
    if worker.stdin:
        worker.stdin.close()
    await worker.wait()
