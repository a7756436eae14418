"""One running engine: started, watched, ended."""

import asyncio
import contextlib
import logging
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from asyncio.subprocess import PIPE, STDOUT, Process
from collections import deque
from collections.abc import Sequence
from pathlib import Path

import msgspec

from quartet.kernel.errors import AppError
from quartet.sync.engine.home import prepare_home, private
from quartet.sync.engine.program import Program
from quartet.sync.engine.rest import Access, Rest

log = logging.getLogger("quartet.sync.engine")

START_SECONDS = 60.0
STOP_SECONDS = 10.0
# Until what was killed is gone.
KILLED_SECONDS = 2.0
# Between two looks whether it answers yet.
LOOK_SECONDS = 0.02
# What one that was left over may take to end by itself.
LEFTOVER_SECONDS = 5.0
LEFTOVER_TRIES = 20
LEFTOVER_TRY_SECONDS = 0.5
# What the system allows for the path of a socket, with room to spare.
SOCKET_PATH_BYTES = 100


class EngineProcess:
    def __init__(self, process: Process, rest: Rest, home: Path, folder: Path | None) -> None:
        self.rest = rest
        self._process = process
        self._home = home
        # Made for the socket when the home's path is too long for it.
        self._folder = folder
        self._last_words: deque[str] = deque(maxlen=20)
        self._asked = False
        self._reader = asyncio.create_task(self._read())

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        return self._process.returncode

    async def wait(self) -> None:
        """Until it ends; an end nobody asked for is an error."""
        code = await self._process.wait()
        await self._reader
        if not self._asked:
            raise AppError(500, "engine_exited", exitCode=code, reason=self._reason())

    async def stop(self) -> None:
        self._asked = True
        try:
            await self.rest.shut_down()
        except AppError:
            # It does not listen yet, or no more: a signal reaches it anyway.
            if self.exit_code is None:
                self._process.terminate()
        for end in (None, self._process.terminate, self._process.kill):
            if end is not None and self.exit_code is None:
                end()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), STOP_SECONDS)
                break
        await _end_workers(self.pid)
        await self._reader
        await self.rest.close()
        _record(self._home).unlink(missing_ok=True)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

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
            self._last_words.append(text)
            log.debug("%s", text)

    def _reason(self) -> str:
        """The last complaint, else the last words."""
        complaints = [
            line
            for line in self._last_words
            if ("WARNING" in line or "ERR" in line) and "privileged" not in line
        ]
        return (complaints or list(self._last_words) or [""])[-1][:300]


async def start_engine(program: Program, home: Path, listen: Sequence[str]) -> EngineProcess:
    """Returns when the engine answers."""
    # One that did not answer may still be there, with its database.
    tries = LEFTOVER_TRIES if await end_leftover(home) else 1
    while True:
        # Not before: one that was left over writes its own configuration until it has ended.
        await asyncio.to_thread(prepare_home, program, home, listen)
        try:
            return await _start(program, home)
        except AppError as error:
            tries -= 1
            # Where nobody could see it end, it lets go of its database when it has.
            if error.code != "engine_exited" or not tries:
                raise
            await asyncio.sleep(LEFTOVER_TRY_SECONDS)


async def _start(program: Program, home: Path) -> EngineProcess:
    address, folder = _address(home)
    access = Access(address, secrets.token_urlsafe(32))
    _keep(home, access)
    process = await asyncio.create_subprocess_exec(
        *program.serve(home),
        env=program.environment(STGUIADDRESS=access.address, STGUIAPIKEY=access.key),
        cwd=home,
        stdin=subprocess.DEVNULL,
        stdout=PIPE,
        stderr=STDOUT,
        # Ctrl-C is for us; the engine is asked to end.
        start_new_session=True,
    )
    running = EngineProcess(process, Rest(access), home, folder)
    try:
        await asyncio.wait_for(_answers(running), START_SECONDS)
    except BaseException as error:
        await running.stop()
        if isinstance(error, TimeoutError):
            raise AppError(500, "engine_not_starting", reason=running._reason()) from error
        raise
    return running


async def _answers(running: EngineProcess) -> None:
    while True:
        if running.exit_code is not None:
            await running.wait()
        try:
            await running.rest.ask("GET", "system/ping", seconds=5)
        except AppError as error:
            if error.code != "engine_unreachable":
                raise
            await asyncio.sleep(LOOK_SECONDS)
        else:
            return


async def _end_workers(watcher: int) -> None:
    """An engine is a process that watches another; that one may live on and keep the database."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        os.killpg(watcher, signal.SIGKILL)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(KILLED_SECONDS):
            while workers := _session(watcher):
                for each in workers:
                    with contextlib.suppress(OSError):
                        os.kill(each, signal.SIGKILL)
                await asyncio.sleep(LOOK_SECONDS)


def _session(leader: int) -> list[int]:
    """Who has not ended yet: on Linux the one that works makes itself a group of its own."""
    found: list[int] = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            state, _, _, session = stat.read_text(errors="replace").rpartition(")")[2].split()[:4]
            if int(session) == leader and state != "Z":
                found.append(int(stat.parent.name))
    return found


async def end_leftover(home: Path) -> bool:
    """Ends the engine of a process that was killed: two cannot share a home.

    Returns whether there may have been one.
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
        log.warning("ended an engine that was left over")
    except AppError:
        pass  # It hangs, or has ended long ago.
    finally:
        await rest.close()
    await _let_end(home)
    return True


async def _let_end(home: Path) -> None:
    """It keeps its database until it has ended, and one that hangs never would."""
    engines = await asyncio.to_thread(_engines, home)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LEFTOVER_SECONDS):
            while engines:
                await asyncio.sleep(LOOK_SECONDS)
                engines = [each for each in engines if _serves(each, home)]
    for each in engines:
        log.warning("killed an engine that was left over and hung")
        with contextlib.suppress(OSError):
            os.kill(int(each.name), signal.SIGKILL)


def _engines(home: Path) -> list[Path]:
    """The processes of this home; none where the system does not show them."""
    return [each for each in Path("/proc").glob("[0-9]*") if _serves(each, home)]


def _serves(process: Path, home: Path) -> bool:
    """One that has ended has no arguments any more."""
    try:
        arguments = (process / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return b"--home" in arguments and os.fsencode(home) in arguments


def _record(home: Path) -> Path:
    return home / "running.json"


def _keep(home: Path, access: Access) -> None:
    with open(_record(home), "wb", opener=private) as file:
        file.write(msgspec.json.encode(access))


def _address(home: Path) -> tuple[str, Path | None]:
    """A socket in a folder only we can enter; a loopback port where there are no sockets."""
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
