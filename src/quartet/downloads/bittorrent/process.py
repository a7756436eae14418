"""The torrent process: reads commands from its input and writes messages to its output.

Torrents run in a process of their own, so that a crash of the C++ library does not end the service
and its memory is used only while there are torrents. The process ends when its input is closed.
"""

import ctypes
import os
import select
import signal
import socket
import sys
import time
from pathlib import Path

import msgspec

from quartet.downloads.bittorrent.session import Session
from quartet.downloads.bittorrent.types import Command, Message, Statuses

STATUS_SECONDS = 1.0
CLOSE_SECONDS = 2.5
PR_SET_PDEATHSIG = 1
BLOCK = 1 << 20


def main() -> None:
    # If the service is killed, this process must not write while the next one starts.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() == 1 and len(sys.argv) > 1 and sys.argv[1] != "1":
        return  # the service ended before the line above took effect
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    woken, alerts = socket.socketpair()
    woken.setblocking(False)
    session = Session(boot, alerts.fileno())
    serve(session, woken)
    session.close(CLOSE_SECONDS)
    sys.stdout.flush()
    # libtorrent would wait for trackers when the session is destroyed.
    os._exit(0)


def serve(session: Session, woken: socket.socket) -> None:
    """Handle commands until the input is closed."""
    decoder = msgspec.json.Decoder(Command)
    input_fd = sys.stdin.fileno()
    buffer = b""
    next_status = 0.0
    while True:
        wait = max(0.0, next_status - time.monotonic())
        ready, _, _ = select.select([input_fd, woken], [], [], wait)
        if woken in ready:
            woken.recv(4096)
        if input_fd in ready:
            piece = os.read(input_fd, BLOCK)
            if not piece:
                return
            *lines, buffer = (buffer + piece).split(b"\n")
            for line in lines:
                session.handle(decoder.decode(line))
        for message in session.messages():
            _send(message)
        if time.monotonic() >= next_status:
            next_status = time.monotonic() + STATUS_SECONDS
            _send(Statuses(session.statuses()))
            # Saving resume data may have been started, or answers may have arrived.
            for message in session.messages():
                _send(message)


def _send(message: Message) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(message) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
