"""Torrents and a real seeder on loopback for the tests."""

import hashlib
import random
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import libtorrent as lt

from tests.real_servers import free_port

PIECE = 16 * 1024
ARIA2 = (
    "aria2c",
    "--no-conf",
    "--quiet",
    "--enable-dht=false",
    "--enable-dht6=false",
    "--bt-enable-lpd=false",
    "--enable-peer-exchange=false",
)


class Torrent(NamedTuple):
    """The content of a torrent, by path, and its .torrent file."""

    name: str
    files: dict[str, bytes]
    metainfo: bytes
    info_hash: str

    def magnet(self, *peers: int) -> str:
        """Return a magnet link that names peers on loopback by their ports."""
        known = "".join(f"&x.pe=127.0.0.1:{port}" for port in peers)
        return f"magnet:?xt=urn:btih:{self.info_hash}&dn={self.name}{known}"


def make_torrent(
    folder: Path,
    sizes: dict[str, int],
    *,
    name: str = "example",
    tracker: str = "",
    private: bool = False,
) -> Torrent:
    """Write files of these sizes below the folder and make a torrent of them."""
    files = {path: random.Random(path).randbytes(size) for path, size in sizes.items()}
    for path, content in files.items():
        target = folder / name / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    whole = b"".join(files.values())
    pieces = [whole[place : place + PIECE] for place in range(0, len(whole), PIECE)]
    info: dict[bytes, Any] = {
        b"name": name.encode(),
        b"piece length": PIECE,
        b"pieces": b"".join(hashlib.sha1(piece).digest() for piece in pieces),
        b"files": [
            {b"length": len(content), b"path": [part.encode() for part in path.split("/")]}
            for path, content in files.items()
        ],
    }
    if private:
        info[b"private"] = 1
    metainfo = bencoded({b"announce": tracker.encode(), b"info": info})
    return Torrent(name, files, metainfo, hashlib.sha1(bencoded(info)).hexdigest())


def bencoded(value: Any) -> bytes:
    return lt.bencode(value)


@contextmanager
def seeder(torrent: Torrent, folder: Path, *, limit: str = "0") -> Iterator[int]:
    """Seed the files in the folder with aria2c; yields its port."""
    port = free_port()
    file = folder / "seeded.torrent"
    file.write_bytes(torrent.metainfo)
    process = subprocess.Popen(
        [
            *ARIA2,
            "--check-integrity",
            "--seed-ratio=0",
            f"--max-overall-upload-limit={limit}",
            f"--listen-port={port}",
            f"--dir={folder}",
            str(file),
        ],
        stdout=subprocess.DEVNULL,
    )
    try:
        _wait_until_listening(port)
        yield port
    finally:
        process.kill()
        process.wait()


def _wait_until_listening(port: int) -> None:
    """Wait for the seeder: a peer that refuses a connection is only tried again after a minute."""
    end = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except ConnectionRefusedError:
            assert time.monotonic() < end
            time.sleep(0.02)


@contextmanager
def tracker(refusals: list[str] | None = None) -> Iterator[tuple[str, list[int]]]:
    """Run a tracker; yields its address and a list for the ports of peers on loopback.

    It refuses every request with the last of `refusals`, if there is one.
    """
    peers: list[int] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if refusals:
                self._answer(bencoded({b"failure reason": refusals[-1].encode()}))
                return
            known = b"".join(socket.inet_aton("127.0.0.1") + struct.pack(">H", p) for p in peers)
            self._answer(bencoded({b"interval": 60, b"min interval": 1, b"peers": known}))

        def _answer(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_given: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/announce", peers
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def torrent_processes(parent: int) -> list[int]:
    """Return the ids of the torrent processes that this process has started."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [
        int(pid)
        for pid in children
        if b"bittorrent.process" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]


def listening_port(pid: int) -> int:
    """Return the TCP port on which a process listens on loopback."""
    own = {str(each.readlink()) for each in Path(f"/proc/{pid}/fd").iterdir() if each.is_symlink()}
    for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        host, _, port = fields[1].partition(":")
        listens = fields[3] == "0A" and host in ("0100007F", "00000000")
        if listens and f"socket:[{fields[9]}]" in own:
            return int(port, 16)
    raise AssertionError("it does not listen")


def leech(torrent: Torrent, folder: Path, port: int) -> None:
    """Download a torrent with aria2c from a peer on loopback."""
    folder.mkdir()
    with tracker() as (url, peers):
        peers.append(port)
        decoded: Any = lt.bdecode(torrent.metainfo)
        file = folder / "leeched.torrent"
        file.write_bytes(bencoded({**decoded, b"announce": url.encode()}))
        arguments = [*ARIA2, "--seed-time=0", f"--dir={folder}", str(file)]
        subprocess.run(arguments, stdout=subprocess.DEVNULL, check=True, timeout=60)
    file.unlink()
