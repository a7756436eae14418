"""A torrent on loopback: one seeder, and the clients that download from it."""

import hashlib
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.real_servers import accepts, free_port

from bench.downloads_service import DownloadsService

PIECE = 1 << 20
SECONDS = 600.0
# In some networks transmission connects to no peer on the same machine; then it is left out.
PATIENCE = 60.0
_ARIA2 = ["-q", "--no-conf", "--enable-dht=false", "--enable-dht6=false", "--bt-enable-lpd=false"]


def torrent_of(path: Path, tracker: str) -> bytes:
    """Return the .torrent file of one file."""
    pieces = b""
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            pieces += hashlib.sha1(piece, usedforsecurity=False).digest()
    return (
        b"d8:announce%d:%s4:info" % (len(tracker), tracker.encode())
        + b"d6:lengthi%de4:name%d:%s" % (path.stat().st_size, len(path.name), path.name.encode())
        + b"12:piece lengthi%de6:pieces%d:%see" % (PIECE, len(pieces), pieces)
    )


def own_address() -> str:
    """Return an address of this machine; transmission refuses peers on loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        address: str = probe.getsockname()[0]
        return address


@contextmanager
def seeded(path: Path) -> Iterator[bytes]:
    """Seed a file with aria2c and yield its .torrent file, whose tracker knows the seeder."""
    port = free_port()
    peer = socket.inet_aton(own_address()) + struct.pack(">H", port)

    class Tracker(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b"d8:intervali60e5:peers6:%se" % peer
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Tracker) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        content = torrent_of(path, f"http://127.0.0.1:{server.server_port}/announce")
        file = path.with_suffix(".torrent")
        file.write_bytes(content)
        options = [f"--listen-port={port}", f"--dir={path.parent}", "--seed-ratio=0", "-V"]
        seeder = subprocess.Popen(["aria2c", *_ARIA2, *options, str(file)])
        try:
            while not accepts(port):
                time.sleep(0.1)
            yield content
        finally:
            seeder.kill()
            seeder.wait()
            server.shutdown()


def aria2c(content: bytes, folder: Path) -> float:
    file = folder / "own.torrent"
    file.write_bytes(content)
    options = ["--seed-time=0", f"--dir={folder}", "--file-allocation=falloc"]
    began = time.monotonic()
    subprocess.run(["aria2c", *_ARIA2, *options, str(file)], check=True, timeout=SECONDS)
    return time.monotonic() - began


def transmission(content: bytes, folder: Path) -> float:
    """Return the seconds until transmission-cli calls the script for a finished torrent."""
    file, finished, script = (folder / name for name in ("own.torrent", "finished", "script"))
    file.write_bytes(content)
    script.write_text(f"#!/bin/sh\ntouch {finished}\n")
    script.chmod(0o700)
    command = ["transmission-cli", "-g", str(folder / "config"), "-w", str(folder), "-M"]
    began = time.monotonic()
    quiet = subprocess.DEVNULL
    client = subprocess.Popen(
        [*command, "-p", str(free_port()), "-f", str(script), str(file)], stdout=quiet, stderr=quiet
    )
    try:
        while not finished.exists():
            if client.poll() is not None or time.monotonic() - began > PATIENCE:
                return SECONDS
            time.sleep(0.02)
        return time.monotonic() - began
    finally:
        client.kill()
        client.wait()


def peers() -> list[Callable[[bytes, Path], float]]:
    """Return the clients to compare with; transmission-cli only if it is installed."""
    return [aria2c, *([transmission] if shutil.which("transmission-cli") else [])]


def compare(service: DownloadsService, path: Path, rounds: int) -> tuple[float, float, str]:
    """Return the best seconds of the service and of the fastest peer, and its name."""
    compared = peers()
    own, others = SECONDS, {peer.__name__: SECONDS for peer in compared}
    with seeded(path) as content:
        for _ in range(rounds):
            own = min(own, service.fetch_torrent(content))
            check(service.done, path)
            service.clear()
            for peer in list(compared):
                with tempfile.TemporaryDirectory(dir=path.parent.parent) as folder:
                    seconds = peer(content, Path(folder))
                    if seconds == SECONDS:
                        compared.remove(peer)
                        continue
                    others[peer.__name__] = min(others[peer.__name__], seconds)
                    check(Path(folder), path)
    name = min(others, key=lambda each: others[each])
    return own, others[name], name


def check(folder: Path, path: Path) -> None:
    [found] = [each for each in folder.rglob(path.name) if each.is_file()]
    assert found.stat().st_size == path.stat().st_size
