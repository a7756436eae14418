"""Forks `quartet …` for each request: a real process that need not import everything again.

A request is one message with the ends of its streams and of a pipe, on which the exit code comes.
"""

import importlib.util
import json
import os
import selectors
import socket
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from quartet.cli import main as quartet
from quartet.services import NAMES, service
from tests.forked import prepare_to_fork

MOST_BYTES = 65536


@dataclass(frozen=True)
class Request:
    arguments: list[str]
    folder: str
    environment: Mapping[str, str]
    # Standard input, output and errors, and where to tell how it ended.
    streams: tuple[int, int, int, int]


class Forker:
    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._prepared: set[str] = set()
        self._ready = selectors.DefaultSelector()
        self._ready.register(line, selectors.EVENT_READ)

    def next_child(self) -> Request | None:
        """In a child, what it shall do; in the process that forks nothing, and at the end."""
        while True:
            for key, _ in self._ready.select():
                if key.data:
                    self._bury(key.fd, *key.data)
                elif (request := self._receive()) is None:
                    return None
                elif self._fork(request):
                    return request

    def _receive(self) -> Request | None:
        message, streams, _, _ = socket.recv_fds(self._line, MOST_BYTES, 4)
        if not message:
            return None
        first, second, third, fourth = streams
        return Request(**json.loads(message), streams=(first, second, third, fourth))

    def _fork(self, request: Request) -> bool:
        for name in {*request.arguments} & {*NAMES} - self._prepared:
            prepare_to_fork(service(name))
            self._prepared.add(name)
        pid = os.fork()
        if pid == 0:
            return True
        self._line.send(str(pid).encode())
        *streams, ending = request.streams
        for stream in streams:
            os.close(stream)
        self._ready.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, ending))
        return False

    def _bury(self, pidfd: int, pid: int, ending: int) -> None:
        self._ready.unregister(pidfd)
        os.close(pidfd)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        # Perhaps nobody wants to know any more.
        with suppress(BrokenPipeError):
            os.write(ending, str(code).encode())
        os.close(ending)


def become(request: Request) -> None:
    """As if it had been started by its name."""
    for number in range(3):
        os.dup2(request.streams[number], number)
    os.closerange(3, max(request.streams) + 64)
    os.chdir(request.folder)
    os.environ.clear()
    os.environ.update(request.environment)
    tempfile.tempdir = None
    program = importlib.util.find_spec("quartet.__main__")
    assert program and program.origin
    # Processes that it starts in turn are made after its likeness.
    sys.modules["__main__"].__spec__ = program
    sys.argv = [program.origin, *request.arguments]


def main() -> None:
    with socket.socket(fileno=int(sys.argv[1])) as line:
        request = Forker(line).next_child()
        line.detach()
    if request:
        become(request)
        quartet(request.arguments)


if __name__ == "__main__":
    main()
