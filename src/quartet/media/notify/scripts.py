"""Runs scripts of the operator after a job."""

import asyncio
import logging
import os
import signal
import stat
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from quartet.kernel.errors import AppError
from quartet.kernel.log import one_line
from quartet.media.notify.types import Script, WebhookMessage

log = logging.getLogger("quartet.media.scripts")

_MOST_OUTPUT = 16 * 1024
_LONGEST_LINE = 500
# Everything else stays here: the environment of the service has its secrets.
_ENVIRONMENT = ("PATH", "HOME", "LANG", "TZ")


class ScriptFolder:
    """The folder whose executable files may be run. Only the operator can choose it."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def names(self) -> list[str]:
        if self._folder is None:
            return []
        try:
            found = sorted(self._folder.iterdir())
        except OSError as error:
            log.warning("folder of scripts cannot be read: %s", error)
            return []
        return [path.name for path in found if _is_script(path)]

    def find(self, name: str) -> Path:
        path = self._folder / name if self._folder else None
        if path is None or name in (".", "..") or "/" in name or not _is_script(path):
            raise AppError(400, "script_not_found", name=name)
        return path.resolve()

    async def run(self, script: Script, message: WebhookMessage) -> None:
        """Run a script without a shell and log its output; raise if it failed."""
        path = await asyncio.to_thread(self.find, script.name)
        started = time.monotonic()
        try:
            code, output = await _run(path, script.seconds, msgspec.json.encode(message))
        except OSError as error:
            raise AppError(502, "script_failed", name=script.name, code=error.errno or 0) from error
        _log_output(script.name, output)
        if code is None:
            raise AppError(502, "script_timeout", name=script.name, seconds=script.seconds)
        if code:
            raise AppError(502, "script_failed", name=script.name, code=code)
        seconds = time.monotonic() - started
        log.info("script %s for job %d ended after %.1f s", script.name, message.job_id, seconds)


def _is_script(path: Path) -> bool:
    """A link would run a file that is outside of the folder."""
    try:
        found = path.lstat()
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(found.st_mode) and os.access(path, os.X_OK)


async def _run(path: Path, seconds: int, message: bytes) -> tuple[int | None, bytes]:
    """Return the exit code, None after too long, and the first part of the output."""
    process = await asyncio.create_subprocess_exec(
        path,
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


async def _send(pipe: asyncio.StreamWriter | None, message: bytes) -> None:
    if pipe is None:
        return
    pipe.write(message)
    # A script need not read its input.
    with suppress(ConnectionError):
        await pipe.drain()
    pipe.close()


async def _receive(pipe: asyncio.StreamReader | None, output: bytearray) -> None:
    while pipe is not None and (chunk := await pipe.read(8192)):
        output += chunk[: _MOST_OUTPUT - len(output)]


def _log_output(name: str, output: bytes) -> None:
    for line in output.decode(errors="replace").splitlines():
        log.info("script %s: %s", name, one_line(line[:_LONGEST_LINE]))
