"""Torrents and a real seeder on loopback for the tests."""

import hashlib
import random
import socket
import struct
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import libtorrent as lt

PIECE = 16 * 1024


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


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def seeder(torrent: Torrent, folder: Path, *, limit: str = "0") -> Iterator[int]:
    """Seed the files in the folder with aria2c; yields its port."""
    port = free_port()
    file = folder / "seeded.torrent"
    file.write_bytes(torrent.metainfo)
    process = subprocess.Popen(
        [
            "aria2c",
            "--no-conf",
            "--quiet",
            "--check-integrity",
            "--seed-ratio=0",
            "--enable-dht=false",
            "--enable-dht6=false",
            "--bt-enable-lpd=false",
            "--enable-peer-exchange=false",
            f"--max-overall-upload-limit={limit}",
            f"--listen-port={port}",
            f"--dir={folder}",
            str(file),
        ],
        stdout=subprocess.DEVNULL,
    )
    try:
        yield port
    finally:
        process.kill()
        process.wait()


@contextmanager
def tracker() -> Iterator[tuple[str, list[int]]]:
    """Run a tracker; yields its address and a list for the ports of peers on loopback."""
    peers: list[int] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known = b"".join(socket.inet_aton("127.0.0.1") + struct.pack(">H", p) for p in peers)
            body = bencoded({b"interval": 60, b"min interval": 1, b"peers": known})
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
