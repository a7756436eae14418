"""Listening sockets and accepted connections."""

import asyncio
import errno
import logging
import os
import secrets
import socket
from collections.abc import Callable
from contextlib import closing, suppress

from quartet.kernel.errors import OperatorError

log = logging.getLogger("quartet.server")

BACKLOG = 4096
# uvloop's server accepts one connection per loop iteration. After a restart thousands of clients
# connect at once, and those that find the backlog full retry only after seconds. Each costs a
# quarter of a millisecond, during which requests wait.
ACCEPTS_PER_ITERATION = 32
# Pause when no file descriptor is left, instead of polling the backlog.
PAUSE_SECONDS = 1.0
# Below the ephemeral port range, which the system uses for outgoing connections.
PORT_RANGE = range(20_000, 32_000)
# How many ports after a taken one are tried.
NEXT_PORTS = 100
EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)

MakeProtocol = Callable[[], asyncio.Protocol]


class CannotListen(OperatorError):
    """The address is taken, not one of this machine, or invalid."""

    may_pass = False


class Listener:
    def __init__(self) -> None:
        self._sockets: list[socket.socket] = []
        self._watching = False
        self._accepting: set[asyncio.Task[object]] = set()

    @property
    def port(self) -> int:
        number: int = self._sockets[0].getsockname()[1]
        return number

    def listen(self, host: str, port: int) -> None:
        """Let clients connect; they wait until `open` is called. Blocks to look up the name."""
        if not 0 <= port < 65536:
            raise ValueError("invalid port")
        bind_error: OSError | None = None
        found = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        for family, _, _, _, address in found:
            try:
                sock = socket.create_server(address, family=family, backlog=BACKLOG)
            except OSError as error:
                # A name may resolve to addresses this machine does not have, often ::1.
                if error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
                    raise
                bind_error = error
            else:
                sock.setblocking(False)
                self._sockets.append(sock)
        if bind_error is not None and not self._sockets:
            raise bind_error

    def open(self, make_protocol: MakeProtocol) -> None:
        self._watching = True
        for sock in self._sockets:
            self._watch(sock, make_protocol)

    def close(self) -> None:
        sockets, self._sockets = self._sockets, []
        for sock in sockets:
            if self._watching:
                asyncio.get_running_loop().remove_reader(sock)
            sock.close()

    def _watch(self, sock: socket.socket, make_protocol: MakeProtocol) -> None:
        # The socket may have been closed in the meantime.
        if sock.fileno() >= 0:
            asyncio.get_running_loop().add_reader(sock, self._accept, sock, make_protocol)

    def _accept(self, sock: socket.socket, make_protocol: MakeProtocol) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(ACCEPTS_PER_ITERATION):
            try:
                connection, _ = sock.accept()
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno in EXHAUSTED:
                    log.error("cannot accept connections: %s", error.strerror)
                    loop.remove_reader(sock)
                    loop.call_later(PAUSE_SECONDS, self._watch, sock, make_protocol)
                    return
                # The client disconnected before the connection was accepted.
                continue
            connection.setblocking(False)
            # asyncio sets this only for sockets it created. It can fail for closed connections.
            with suppress(OSError):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            task = loop.create_task(loop.connect_accepted_socket(make_protocol, connection))
            self._accepting.add(task)
            task.add_done_callback(self._accepted)

    def _accepted(self, task: asyncio.Task[object]) -> None:
        self._accepting.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.debug("connection closed before it was accepted: %s", error)


def cannot_listen(name: str, host: str, port: int, error: Exception) -> CannotListen:
    """Describe why the address cannot be used, with a free port if this one is taken."""
    # Python appends the address to the system's message; ours already contains it.
    number = getattr(error, "errno", None) or 0
    reason = os.strerror(number) if number > 0 else str(error)
    if number == errno.EADDRINUSE and (other := next_port(host, port)):
        reason += f"; port {other} is free"
    return CannotListen(f"{name} cannot listen on {host}:{port}: {reason}")


def free_port(address: str = "127.0.0.1") -> int:
    """Return a free port, for callers that need to know it before they listen."""
    while True:
        port = secrets.choice(PORT_RANGE)
        if _can_bind(address, port, reuse=False):
            return port


def can_listen(address: str, port: int) -> bool:
    # As a server does: connections of a process that has ended do not block the port.
    return _can_bind(address, port, reuse=True)


def next_port(address: str, taken: int) -> int:
    """Return the first free port after one that is taken, or any free port."""
    candidates = range(taken + 1, min(taken + NEXT_PORTS, 65536))
    found = next((port for port in candidates if can_listen(address, port)), None)
    return found or free_port(address)


def _can_bind(address: str, port: int, *, reuse: bool) -> bool:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with closing(socket.socket(family)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, reuse)
        try:
            probe.bind((address, port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            return False
    return True
