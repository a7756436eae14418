"""`quartet …` as a process, forked by one that has imported it: see `forker`."""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).parent.parent
FORKER = (sys.executable, "-m", "tests.forker")


class Fork:
    """What `subprocess.Popen` would be for a child of one's own."""

    def __init__(self, pid: int, ending: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._ending = ending
        self._lock = threading.Lock()

    def poll(self) -> int | None:
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(f"quartet {self.pid}", timeout or 0)
        return code

    def _ended(self, seconds: float | None) -> int | None:
        ready = select.poll()
        ready.register(self._ending, select.POLLIN)
        if self.returncode is None and ready.poll(None if seconds is None else seconds * 1000):
            with self._lock:
                # Perhaps somebody else has waited as well.
                if self.returncode is None:
                    self.returncode = int(os.read(self._ending, 16))
                    os.close(self._ending)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class Forker:
    """One for this process, from its first use on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: tuple[socket.socket, subprocess.Popen[bytes]] | None = None

    def fork(
        self,
        *arguments: str,
        folder: Path,
        environment: Mapping[str, str],
        stdin: IO[str],
        stdout: IO[str],
        stderr: IO[Any],
    ) -> Fork:
        told = {"arguments": arguments, "folder": str(folder), "environment": environment}
        ending, tells = os.pipe()
        streams = [
            each if isinstance(each, int) else each.fileno() for each in (stdin, stdout, stderr)
        ]
        with self._lock:
            line = self._line()
            socket.send_fds(line, [json.dumps(told).encode()], [*streams, tells])
            os.close(tells)
            return Fork(int(line.recv(32)), ending)

    def _line(self) -> socket.socket:
        if self._running is None:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with theirs:
                process = subprocess.Popen(
                    [*FORKER, str(theirs.fileno())],
                    cwd=ROOT,
                    env={"PATH": os.environ["PATH"]},
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                )
            self._running = ours, process
        return self._running[0]

    def close(self) -> None:
        if self._running:
            line, process = self._running
            line.close()
            process.wait(20)


forker = Forker()


def run_forked(
    *arguments: str, folder: Path, environment: Mapping[str, str], given: str, timeout: float
) -> subprocess.CompletedProcess[str]:
    """As `subprocess.run` would."""
    with ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in range(3)]
        stdin, stdout, stderr = files
        stdin.write(given)
        stdin.seek(0)
        streams = {"stdin": stdin, "stdout": stdout, "stderr": stderr}
        code = forker.fork(*arguments, folder=folder, environment=environment, **streams).wait(
            timeout
        )
        stdout.seek(0)
        stderr.seek(0)
        return subprocess.CompletedProcess(arguments, code, stdout.read(), stderr.read())
