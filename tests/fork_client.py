"""Run `quartet …` as a process forked by `fork_server`."""

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
FORK_SERVER = (sys.executable, "-m", "tests.fork_server")


class ForkedProcess:
    """A subset of `subprocess.Popen`, for a process that is not a child of this one."""

    def __init__(self, pid: int, exit_reader: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._exit_reader = exit_reader
        self._lock = threading.Lock()

    def poll(self) -> int | None:
        return self._wait_for_exit(0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._wait_for_exit(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(f"quartet {self.pid}", timeout or 0)
        return code

    def _wait_for_exit(self, seconds: float | None) -> int | None:
        ready = select.poll()
        ready.register(self._exit_reader, select.POLLIN)
        if self.returncode is None and ready.poll(None if seconds is None else seconds * 1000):
            with self._lock:
                # Another thread may have read the exit code since the check above.
                if self.returncode is None:
                    self.returncode = int(os.read(self._exit_reader, 16))
                    os.close(self._exit_reader)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class ForkServerClient:
    """Starts the fork server of this test process on first use."""

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
    ) -> ForkedProcess:
        request = {"arguments": arguments, "folder": str(folder), "environment": environment}
        exit_reader, exit_writer = os.pipe()
        streams = [
            each if isinstance(each, int) else each.fileno() for each in (stdin, stdout, stderr)
        ]
        with self._lock:
            connection = self._connection()
            socket.send_fds(connection, [json.dumps(request).encode()], [*streams, exit_writer])
            os.close(exit_writer)
            return ForkedProcess(int(connection.recv(32)), exit_reader)

    def _connection(self) -> socket.socket:
        if self._running is None:
            local, remote = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with remote:
                process = subprocess.Popen(
                    [*FORK_SERVER, str(remote.fileno())],
                    cwd=ROOT,
                    env={"PATH": os.environ["PATH"]},
                    pass_fds=[remote.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                )
            self._running = local, process
        return self._running[0]

    def close(self) -> None:
        if self._running:
            connection, process = self._running
            connection.close()
            process.wait(60)


fork_server = ForkServerClient()


def run_forked(
    *arguments: str, folder: Path, environment: Mapping[str, str], stdin_text: str, timeout: float
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, like `subprocess.run`."""
    with ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in range(3)]
        stdin, stdout, stderr = files
        stdin.write(stdin_text)
        stdin.seek(0)
        streams = {"stdin": stdin, "stdout": stdout, "stderr": stderr}
        code = fork_server.fork(*arguments, folder=folder, environment=environment, **streams).wait(
            timeout
        )
        stdout.seek(0)
        stderr.seek(0)
        return subprocess.CompletedProcess(arguments, code, stdout.read(), stderr.read())
