"""Runs programs of the operator, without a shell and without the secrets of the service."""

import asyncio
import logging
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from quartet.kernel.log import one_line

_MOST_OUTPUT = 16 * 1024
_LONGEST_LINE = 500
# Everything else stays here: the environment of the service has its secrets.
_ENVIRONMENT = ("PATH", "HOME", "LANG", "TZ")


async def run_script(
    path: Path, message: bytes, seconds: float, arguments: Sequence[str] = ()
) -> tuple[int | None, bytes]:
    """Return the exit code, None after too long, and the first part of the output.

    The program reads the message from its standard input.
    """
    process = await asyncio.create_subprocess_exec(
        path,
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=path.parent,
        env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
        # A group of processes, so that children of the script are ended with it.
        start_new_session=True,
    )
    output = bytearray()
    try:
        async with asyncio.timeout(seconds):
            await asyncio.gather(_send(process.stdin, message), _receive(process.stdout, output))
            return await process.wait(), bytes(output)
    except TimeoutError:
        return None, bytes(output)
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def log_output(log: logging.Logger, name: str, output: bytes) -> None:
    for line in output.decode(errors="replace").splitlines():
        log.info("script %s: %s", name, one_line(line[:_LONGEST_LINE]))


async def _send(pipe: asyncio.StreamWriter | None, message: bytes) -> None:
    if pipe is None:
        return
    # A script need not read its input, and may have ended by now: uvloop reports that differently.
    with suppress(ConnectionError, RuntimeError):
        pipe.write(message)
        await pipe.drain()
    pipe.close()


async def _receive(pipe: asyncio.StreamReader | None, output: bytearray) -> None:
    while pipe is not None and (chunk := await pipe.read(8192)):
        output += chunk[: _MOST_OUTPUT - len(output)]
