"""Closes connections that arrive while their server is closing.

Before Python 3.13, asyncio accepts such a connection, fails to attach it to the closed server, and
never closes its socket (https://github.com/python/cpython/issues/109564). The garbage collector
then reports the leak in some other test.
"""

import socket
import sys
from asyncio import AbstractServer, Transport
from asyncio.selector_events import BaseSelectorEventLoop
from functools import wraps
from typing import Any


def close_late_connections() -> None:
    if sys.version_info >= (3, 13):
        return
    make_transport = BaseSelectorEventLoop._make_socket_transport  # type: ignore[attr-defined]

    @wraps(make_transport)
    def make_or_refuse(
        loop: BaseSelectorEventLoop,
        connection: socket.socket,
        *args: Any,
        server: AbstractServer | None = None,
        **options: Any,
    ) -> Transport:
        if server is not None and not server.is_serving():
            connection.close()
            raise ConnectionAbortedError("the server is closing")
        made: Transport = make_transport(loop, connection, *args, server=server, **options)
        return made

    BaseSelectorEventLoop._make_socket_transport = make_or_refuse  # type: ignore[attr-defined]
