import os
import socket
from contextlib import suppress


def notify_systemd(state: str) -> None:
    """Report the state to systemd if it started this process."""
    path = os.environ.get("NOTIFY_SOCKET")
    if path:
        address = "\0" + path[1:] if path.startswith("@") else path
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
            sock.connect(address)
            sock.sendall(state.encode())
