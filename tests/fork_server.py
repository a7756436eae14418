"""A server that forks `quartet …` on request: a real process without the cost of its imports.

A request is one message that carries the standard streams and a pipe for the exit code.
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
from tests.fork_setup import preload_agent, preload_service

MAX_REQUEST_BYTES = 65536


@dataclass(frozen=True)
class Request:
    arguments: list[str]
    folder: str
    environment: Mapping[str, str]
    # Standard input, output and error, and the pipe for the exit code.
    streams: tuple[int, int, int, int]


class ForkServer:
    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._prepared: set[str] = set()
        self._selector = selectors.DefaultSelector()
        self._selector.register(connection, selectors.EVENT_READ)

    def next_child(self) -> Request | None:
        """Return the request in the child, and None in the server when the client disconnects."""
        while True:
            for key, _ in self._selector.select():
                if key.data:
                    self._report_exit(key.fd, *key.data)
                elif (request := self._receive_request()) is None:
                    return None
                elif self._fork(request):
                    return request

    def _receive_request(self) -> Request | None:
        message, streams, _, _ = socket.recv_fds(self._connection, MAX_REQUEST_BYTES, 4)
        if not message:
            return None
        first, second, third, fourth = streams
        return Request(**json.loads(message), streams=(first, second, third, fourth))

    def _fork(self, request: Request) -> bool:
        for name in {*request.arguments} & {*NAMES} - self._prepared:
            preload_service(service(name))
            self._prepared.add(name)
        if "agent" in request.arguments:
            preload_agent()
        pid = os.fork()
        if pid == 0:
            # It is part of a cycle: collected later, it would close a file with the same number.
            self._selector.close()
            return True
        self._connection.send(str(pid).encode())
        *streams, exit_writer = request.streams
        for stream in streams:
            os.close(stream)
        self._selector.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, exit_writer))
        return False

    def _report_exit(self, pidfd: int, pid: int, exit_writer: int) -> None:
        self._selector.unregister(pidfd)
        os.close(pidfd)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        # The client may have closed its end of the pipe.
        with suppress(BrokenPipeError):
            os.write(exit_writer, str(code).encode())
        os.close(exit_writer)


def become_command(request: Request) -> None:
    """Set up streams, folder, environment and arguments as if the command had been started
    directly.
    """
    for number in range(3):
        os.dup2(request.streams[number], number)
    os.closerange(3, max(request.streams) + 64)
    os.chdir(request.folder)
    os.environ.clear()
    os.environ.update(request.environment)
    tempfile.tempdir = None
    program = importlib.util.find_spec("quartet.__main__")
    assert program and program.origin
    # multiprocessing starts its children with the spec of the main module.
    sys.modules["__main__"].__spec__ = program
    sys.argv = [program.origin, *request.arguments]


def main() -> None:
    with socket.socket(fileno=int(sys.argv[1])) as connection:
        request = ForkServer(connection).next_child()
        connection.detach()
    if request:
        become_command(request)
        quartet(request.arguments)


if __name__ == "__main__":
    main()
