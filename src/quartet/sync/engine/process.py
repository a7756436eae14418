"""Starts, supervises and stops one engine process."""

import asyncio
import contextlib
import logging
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from asyncio.subprocess import PIPE, STDOUT, Process
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from quartet.kernel.errors import AppError
from quartet.sync.engine.failure import exit_error, start_error
from quartet.sync.engine.home import prepare_home, private_opener
from quartet.sync.engine.program import Program
from quartet.sync.engine.rest import Access, Rest

log = logging.getLogger("quartet.sync.engine")

START_SECONDS = 60.0
STOP_SECONDS = 10.0
LAST_LINES_SECONDS = 5.0
EXIT_POLL_SECONDS = 1.0
# Polling interval until the engine answers or exits.
POLL_SECONDS = 0.02
MIGRATION_POLL_SECONDS = 0.5
MIGRATION_CHARS = 200
MIGRATION = re.compile("migrat(ed|ing)", re.IGNORECASE)
# Time for a leftover engine to exit before it is killed.
LEFTOVER_SECONDS = 5.0
LEFTOVER_TRIES = 20
LEFTOVER_TRY_SECONDS = 0.5
# Unix socket paths are limited to 104 to 108 bytes, depending on the system.
SOCKET_PATH_BYTES = 100


# Linux kills the engine together with this process, even if that is killed: otherwise the engine
# would continue to sync without control. SIGTERM is not enough, since an engine can hang while it
# stops; its database survives a kill. This runs in the new process, because code between fork and
# exec can deadlock a process with threads. Elsewhere the next start stops a leftover engine.
PR_SET_PDEATHSIG = 1
END_WITH_PARENT = (
    "import ctypes, os, signal, sys;"
    f"ctypes.CDLL(None).prctl({PR_SET_PDEATHSIG}, signal.SIGKILL, 0, 0, 0);"
    "os.execv(sys.argv[1], sys.argv[1:])"
)
EXITED = ("engine_exited", "engine_exited_silently")

OnMigration = Callable[[str], None]


class EngineProcess:
    def __init__(self, process: Process, rest: Rest, home: Path, folder: Path | None) -> None:
        self.rest = rest
        self._process = process
        self._home = home
        # Temporary folder for the socket if the home's path is too long for it.
        self._folder = folder
        self.last_lines: deque[str] = deque(maxlen=50)
        self._stop_requested = False
        # The last log line about the migration of the database to a new version of the engine.
        self.migration = ""
        self._reader = asyncio.create_task(self._read())

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        return self._process.returncode

    async def wait(self) -> None:
        """Wait for the exit; raise unless it was requested."""
        code = await self._exited()
        await self._finish_reading()
        if not self._stop_requested:
            raise exit_error(code, self.last_lines)

    async def stop(self) -> None:
        self._stop_requested = True
        try:
            await self.rest.shut_down()
        except AppError:
            # The API is not available yet or any more, so use a signal.
            if self.exit_code is None:
                self._process.terminate()
        for end in (None, self._process.terminate, self._process.kill):
            if end is not None and self.exit_code is None:
                end()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._exited(), STOP_SECONDS)
                break
        await self._finish_reading()
        await self.rest.close()
        _record(self._home).unlink(missing_ok=True)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    async def _exited(self) -> int:
        """Wait for the exit code; `wait` may also wait for the end of the output, which another
        process may keep open.
        """
        waiting = asyncio.create_task(self._process.wait())
        try:
            while (code := self.exit_code) is None:
                await asyncio.wait({waiting}, timeout=EXIT_POLL_SECONDS)
            return code
        finally:
            waiting.cancel()

    async def _finish_reading(self) -> None:
        """Read the last lines of an exited engine, which may not end for the same reason."""
        await asyncio.wait({self._reader}, timeout=LAST_LINES_SECONDS)
        self._reader.cancel()

    async def _read(self) -> None:
        stream = self._process.stdout
        if stream is None:
            return
        while True:
            try:
                line = await stream.readline()
            except ValueError:  # a line longer than the buffer
                continue
            if not line:
                return
            text = line.decode(errors="replace").strip()
            self.last_lines.append(text)
            if MIGRATION.search(text):
                self.migration = text[:MIGRATION_CHARS]
            log.debug("%s", text)


async def start_engine(
    program: Program,
    home: Path,
    listen: Sequence[str],
    on_migration: OnMigration = lambda _line: None,
) -> EngineProcess:
    """Start an engine and return when it answers.

    A new version may migrate its database first, for hours if it is large. `on_migration` is called
    with the engine's messages about it.
    """
    # A leftover engine that did not answer may still run and hold the database.
    tries = LEFTOVER_TRIES if await stop_leftover(home) else 1
    while True:
        # Only now: a leftover engine writes its own configuration until it exits.
        await asyncio.to_thread(prepare_home, program, home, listen)
        try:
            return await _start(program, home, on_migration)
        except AppError as error:
            tries -= 1
            # A leftover engine may still hold the database lock; retry until it exits.
            if error.code not in EXITED or not tries:
                raise
            await asyncio.sleep(LEFTOVER_TRY_SECONDS)


async def _start(program: Program, home: Path, on_migration: OnMigration) -> EngineProcess:
    address, folder = _address(home)
    access = Access(address, secrets.token_urlsafe(32))
    _save_access(home, access)
    process = await asyncio.create_subprocess_exec(
        *_ending_with_parent(program.serve(home)),
        env=program.environment(STGUIADDRESS=access.address, STGUIAPIKEY=access.key),
        cwd=home,
        stdin=subprocess.DEVNULL,
        stdout=PIPE,
        stderr=STDOUT,
        # Ctrl-C must not reach the engine; it is stopped through its API.
        start_new_session=True,
    )
    running = EngineProcess(process, Rest(access), home, folder)
    try:
        await _wait_until_ready(running, on_migration)
    except BaseException as error:
        await running.stop()
        if isinstance(error, TimeoutError):
            raise start_error(running.last_lines) from error
        raise
    return running


def _ending_with_parent(command: Sequence[str]) -> Sequence[str]:
    if sys.platform != "linux":
        return command
    if getattr(sys, "frozen", False):
        # A program that contains Python is no interpreter. The setpriv of busybox cannot do this.
        setpriv = shutil.which("setpriv")
        usable = setpriv and Path(setpriv).resolve().name == "setpriv"
        return [str(setpriv), "--pdeathsig", "KILL", *command] if usable else command
    return [sys.executable, "-I", "-S", "-c", END_WITH_PARENT, *command]


async def _wait_until_ready(running: EngineProcess, on_migration: OnMigration) -> None:
    deadline, told = time.monotonic() + START_SECONDS, ""
    while not await _answers(running):
        if running.exit_code is not None:
            await running.wait()
        if running.migration != told:
            told = running.migration
            log.info("Syncthing migrates its database: %s", told)
            on_migration(told)
        # Killing an engine that migrates its database would start the migration over and over.
        if time.monotonic() > deadline and not told:
            raise TimeoutError
        await asyncio.sleep(MIGRATION_POLL_SECONDS if told else POLL_SECONDS)


async def _answers(running: EngineProcess) -> bool:
    try:
        answer = await running.rest.request("GET", "system/ping", seconds=5)
    except AppError as error:
        if error.code != "engine_unreachable":
            raise
        return False
    # An engine that migrates its database answers every request with its log.
    return b"pong" in answer


async def stop_leftover(home: Path) -> bool:
    """Stop the engine of a killed process, since two cannot share a home.

    Return True if there may have been one.
    """
    record = _record(home)
    try:
        access = msgspec.json.decode(record.read_bytes(), type=Access)
    except (OSError, msgspec.DecodeError):
        return False
    record.unlink()
    rest = Rest(access)
    try:
        await rest.shut_down()
        log.warning("stopped a leftover engine")
    except AppError:
        pass  # It hangs or has already exited.
    finally:
        await rest.close()
    await _wait_for_exit(home)
    return True


async def _wait_for_exit(home: Path) -> None:
    """Wait until the leftover engine has exited; kill it if it hangs."""
    engines = await asyncio.to_thread(_engines, home)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LEFTOVER_SECONDS):
            while engines:
                await asyncio.sleep(POLL_SECONDS)
                engines = [each for each in engines if _uses_home(each, home)]
    for each in engines:
        log.warning("killed a leftover engine that did not exit")
        with contextlib.suppress(OSError):
            os.kill(int(each.name), signal.SIGKILL)


def _engines(home: Path) -> list[Path]:
    """Return the processes that use this home; empty on systems without /proc."""
    return [each for each in Path("/proc").glob("[0-9]*") if _uses_home(each, home)]


def _uses_home(process: Path, home: Path) -> bool:
    """Return True if the process runs with this home; an exited one has no arguments."""
    try:
        arguments = (process / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return b"--home" in arguments and os.fsencode(home) in arguments


def _record(home: Path) -> Path:
    return home / "running.json"


def _save_access(home: Path, access: Access) -> None:
    with open(_record(home), "wb", opener=private_opener) as file:
        file.write(msgspec.json.encode(access))


def _address(home: Path) -> tuple[str, Path | None]:
    """Return a socket in a folder that only we can access, or a loopback port on Windows."""
    if sys.platform == "win32":
        with contextlib.closing(socket.socket()) as probe:
            probe.bind(("127.0.0.1", 0))
            return f"127.0.0.1:{probe.getsockname()[1]}", None
    path = home / "api.sock"
    folder = None
    if len(os.fsencode(path)) > SOCKET_PATH_BYTES:
        folder = Path(tempfile.mkdtemp(prefix="quartet-"))
        path = folder / "api.sock"
    path.unlink(missing_ok=True)
    return f"unix://{path}", folder
