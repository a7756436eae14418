"""The sockets of an address, and whoever comes in through them."""

import asyncio
import errno
import logging
import secrets
import socket
from collections.abc import Callable
from contextlib import closing, suppress

log = logging.getLogger("quartet.server")

BACKLOG = 4096
# uvloop's own server takes one connection in each turn of the loop. After a restart thousands come
# at once; whoever finds the queue full is back only after seconds, then after half a minute.
ACCEPTS = 256
# With no descriptor left the queue would be looked at again and again.
PAUSE_SECONDS = 1.0
# Systems give ports above these to connections that go out, at any moment.
UNCLAIMED = range(20_000, 32_000)
EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)

MakeProtocol = Callable[[], asyncio.Protocol]


class Listener:
    def __init__(self) -> None:
        self._sockets: list[socket.socket] = []
        self._coming: set[asyncio.Task[object]] = set()

    @property
    def port(self) -> int:
        number: int = self._sockets[0].getsockname()[1]
        return number

    async def bind(self, host: str, port: int) -> None:
        if not 0 <= port < 65536:
            raise ValueError("no such port")
        lacking: OSError | None = None
        found = await asyncio.get_running_loop().getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        for family, _, _, _, address in found:
            try:
                sock = socket.create_server(address, family=family, backlog=BACKLOG)
            except OSError as error:
                # A name may stand for addresses this machine does not have, often ::1.
                if error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
                    raise
                lacking = error
            else:
                sock.setblocking(False)
                self._sockets.append(sock)
        if lacking is not None and not self._sockets:
            raise lacking

    def open(self, make_protocol: MakeProtocol) -> None:
        for sock in self._sockets:
            self._watch(sock, make_protocol)

    def close(self) -> None:
        for sock in self._sockets:
            asyncio.get_running_loop().remove_reader(sock)
            sock.close()

    def _watch(self, sock: socket.socket, make_protocol: MakeProtocol) -> None:
        # Closed meanwhile, it has no number.
        if sock.fileno() >= 0:
            asyncio.get_running_loop().add_reader(sock, self._accept, sock, make_protocol)

    def _accept(self, sock: socket.socket, make_protocol: MakeProtocol) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(ACCEPTS):
            try:
                connection, _ = sock.accept()
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno in EXHAUSTED:
                    log.error("no more connections can be taken in: %s", error.strerror)
                    loop.remove_reader(sock)
                    loop.call_later(PAUSE_SECONDS, self._watch, sock, make_protocol)
                    return
                # Gone before it was taken in.
                continue
            connection.setblocking(False)
            # asyncio itself would do it only for sockets it has made. Some systems refuse it for a
            # connection that is gone already.
            with suppress(OSError):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            task = loop.create_task(loop.connect_accepted_socket(make_protocol, connection))
            self._coming.add(task)
            task.add_done_callback(self._taken_in)

    def _taken_in(self, task: asyncio.Task[object]) -> None:
        self._coming.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.debug("a connection was gone before it was taken in: %s", error)


def free_port(address: str = "127.0.0.1") -> int:
    """For whoever has to know it before something listens there."""
    while True:
        port = secrets.choice(UNCLAIMED)
        with closing(socket.socket()) as probe:
            try:
                probe.bind((address, port))
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
            else:
                return port
