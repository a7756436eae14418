"""A few child processes that read files; one that hangs or dies is replaced."""

import asyncio
import contextlib
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path

import msgspec

from quartet.media.probe.types import Probed

_LONGEST_ANSWER = 1 << 20


class NoAnswer(Exception):
    """Nobody could say what the file is: it took too long, or killed who read it."""


class Pool:
    """`timeout` is for one file, in seconds."""

    def __init__(self, size: int = 2, timeout: float = 20) -> None:
        self._timeout = timeout
        self._slots = asyncio.Semaphore(size)
        self._idle: list[Process] = []

    async def read(self, path: Path) -> Probed | None:
        """Nothing when it is no media file."""
        async with self._slots:
            try:
                return await self._try(path)
            except EOFError:
                # It died: of this file, or of something before. A second look tells.
                await self.close()
            try:
                return await self._try(path)
            except EOFError as error:
                raise NoAnswer from error

    async def _try(self, path: Path) -> Probed | None:
        worker = self._idle.pop() if self._idle else await _start()
        healthy = False
        try:
            async with asyncio.timeout(self._timeout):
                answer = await _ask(worker, path)
            healthy = True
            return answer
        except TimeoutError as error:
            raise NoAnswer from error
        finally:
            if healthy:
                self._idle.append(worker)
            else:
                await _end(worker)

    async def close(self) -> None:
        """Ends what is idle; others may be started again later."""
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
        # An interrupt at the terminal is for the parent, which then ends its children.
        start_new_session=True,
    )


async def _ask(worker: Process, path: Path) -> Probed | None:
    if worker.stdin is None or worker.stdout is None:
        raise EOFError
    try:
        # As hex: a name may hold a line break or bytes that are no text.
        worker.stdin.write(os.fsencode(path).hex().encode() + b"\n")
        await worker.stdin.drain()
        line = await worker.stdout.readline()
        return msgspec.json.decode(line, type=Probed | None)
    except (ConnectionError, ValueError) as error:
        raise EOFError from error


async def _end(worker: Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        worker.kill()
    if worker.stdin:
        worker.stdin.close()
    await worker.wait()
