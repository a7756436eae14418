"""The settings of the torrent process as peers and a proxy on loopback see them."""

import gzip
import os
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import libtorrent as lt
import pytest

from quartet.downloads.bittorrent.address_filter import AddressRule, read_block_list
from quartet.downloads.bittorrent.magnets import with_web_seeds
from quartet.downloads.bittorrent.session import Session
from quartet.downloads.bittorrent.types import Add, Broken, Configure, SessionSettings
from quartet.kernel.errors import Problem
from tests.downloads.torrents import Torrent, make_torrent

SECONDS = 60.0
SIZES = {"a.bin": 100_000}


@pytest.fixture
def session() -> Iterator[Session]:
    reader, writer = os.pipe()
    session = Session("boot", writer)
    yield session
    session.close(5)
    os.close(reader)
    os.close(writer)


def configure(session: Session, **settings: Any) -> None:
    given: dict[str, Any] = {"allow_private": True, "dht": False, **settings}
    session.handle(Configure(SessionSettings(**given)))


def add(
    session: Session,
    torrent: Torrent,
    folder: Path,
    *peers: str,
    id: int = 1,
    web_seed: str | None = None,
) -> None:
    known = "".join(f"&x.pe={peer}" for peer in peers)
    known = with_web_seeds(known, [web_seed] if web_seed else [])
    magnet = f"magnet:?xt=urn:btih:{torrent.info_hash}{known}"
    session.handle(
        Add(id=id, magnet=magnet, metainfo=torrent.metainfo, folder=str(folder), priorities={0: 4})
    )


def until(session: Session, true: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < end
        session.messages()
        time.sleep(0.02)


class Peer:
    """Accepts connections and tells which extensions each of them offers."""

    def __init__(
        self, host: str, port: int = 0, *, proxy: bool = False, stays: bool = False
    ) -> None:
        self._server = socket.create_server((host, port))
        self.port: int = self._server.getsockname()[1]
        self.address = f"{host}:{self.port}"
        self.connections = 0
        # Connections that the other side has closed.
        self.ended = 0
        self.targets: list[tuple[str, int]] = []
        self.extensions: dict[bytes, set[bytes]] = {}
        self._proxy = proxy
        self._stays = stays
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._thread.join()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            self.connections += 1
            with connection:
                connection.settimeout(SECONDS)
                try:
                    if self._proxy:
                        self.targets.append(_socks_target(connection))
                    else:
                        self._shake_hands(connection)
                except (OSError, struct.error, RuntimeError, IndexError):
                    continue

    def _shake_hands(self, connection: socket.socket) -> None:
        received = _exactly(connection, 68)
        info_hash = received[28:48]
        # The bit of the extension protocol.
        flags = b"\0\0\0\0\0\x10\0\0"
        connection.sendall(received[:20] + flags + info_hash + b"-QT0001-" + os.urandom(12))
        while True:
            [length] = struct.unpack(">I", _exactly(connection, 4))
            message = _exactly(connection, length)
            if message[:2] == b"\x14\0":
                offered: Any = lt.bdecode(message[2:])
                self.extensions[info_hash] = set(offered[b"m"])
                break
        if self._stays:
            while connection.recv(4096):
                pass
            self.ended += 1


@contextmanager
def web_seed(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Serve a folder over HTTP; yields its address and the paths that were asked for."""
    asked: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            asked.append(self.path)

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/", asked
    server.shutdown()
    server.server_close()
    thread.join()


def test_web_seed_gives_the_files(session: Session, tmp_path: Path) -> None:
    torrent = make_torrent(tmp_path / "seed", SIZES)
    configure(session)
    with web_seed(tmp_path / "seed") as (address, _):
        add(session, torrent, tmp_path / "got", web_seed=address)
        # Files are numbered until they are complete.
        got = tmp_path / "got" / "0"
        until(session, lambda: got.exists() and got.read_bytes() == torrent.files["a.bin"])


def test_web_seed_in_private_network_is_not_asked(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torrent = make_torrent(tmp_path / "seed", SIZES)
    configure(session, allow_private=False)
    blocked: list[lt.alert] = []
    session._session.apply_settings({"alert_mask": lt.alert.category_t.all_categories})
    monkeypatch.setattr(session, "_on_alert", blocked.append)
    with web_seed(tmp_path / "seed") as (address, asked):
        add(session, torrent, tmp_path / "got", web_seed=address)
        until(session, lambda: any(isinstance(each, lt.peer_blocked_alert) for each in blocked))
        assert asked == []


def _exactly(connection: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise OSError
        data += piece
    return data


def _socks_target(connection: socket.socket) -> tuple[str, int]:
    """Answer like a SOCKS 5 proxy up to the request; return where it should connect to."""
    _version, methods = _exactly(connection, 2)
    _exactly(connection, methods)
    connection.sendall(b"\5\0")
    head = _exactly(connection, 4)
    host = socket.inet_ntoa(_exactly(connection, 4)) if head[3] == 1 else "?"
    [port] = struct.unpack(">H", _exactly(connection, 2))
    return host, port


@contextmanager
def peer(host: str = "127.0.0.1", *, proxy: bool = False, stays: bool = False) -> Iterator[Peer]:
    made = Peer(host, proxy=proxy, stays=stays)
    try:
        yield made
    finally:
        made.close()


def test_peers_are_reached_through_the_proxy(session: Session, tmp_path: Path) -> None:
    torrent = make_torrent(tmp_path / "seed", SIZES)
    with peer() as direct, peer(proxy=True) as proxy:
        configure(session, proxy=f"socks5://127.0.0.1:{proxy.port}")
        add(session, torrent, tmp_path / "work", direct.address)
        until(session, lambda: ("127.0.0.1", direct.port) in proxy.targets)
        assert direct.connections == 0


def test_blocked_peer_is_not_contacted(session: Session, tmp_path: Path) -> None:
    torrent = make_torrent(tmp_path / "seed", SIZES)
    block_list = tmp_path / "ipfilter.dat"
    block_list.write_text("127.000.000.002 - 127.000.000.009 , 000 , blocked\n")
    with peer("127.0.0.2") as blocked, peer() as other:
        configure(session, block_list=str(block_list))
        add(session, torrent, tmp_path / "work", blocked.address, other.address)
        until(session, lambda: other.connections > 0)
        assert blocked.connections == 0


def test_connected_peers_are_left_for_a_new_proxy(session: Session, tmp_path: Path) -> None:
    torrent = make_torrent(tmp_path / "seed", SIZES)
    with peer(stays=True) as direct, peer(proxy=True) as proxy:
        configure(session)
        add(session, torrent, tmp_path / "work", direct.address)
        until(session, lambda: len(direct.extensions) == 1)
        configure(session, proxy=f"socks5://127.0.0.1:{proxy.port}")
        until(session, lambda: direct.ended == 1)


@pytest.mark.parametrize("content", [None, b"<html>Not Found</html>", b"\x1f\x8bcut"])
def test_no_torrent_starts_without_its_block_list(
    session: Session, tmp_path: Path, content: bytes | None
) -> None:
    torrent = make_torrent(tmp_path / "seed", SIZES)
    block_list = tmp_path / "ipfilter.dat"
    if content is not None:
        block_list.write_bytes(content)
    with peer("127.0.0.2") as blocked, peer() as other:
        configure(session, block_list=str(block_list))
        add(session, torrent, tmp_path / "work", blocked.address, other.address)
        problem = Problem("block_list_unusable", {"path": str(block_list)})
        assert session.messages() == [Broken(1, problem)]
        # The list is read as soon as it is there.
        block_list.write_text("127.0.0.2\n")
        add(session, torrent, tmp_path / "work", blocked.address, other.address)
        until(session, lambda: other.connections > 0)
        assert (blocked.connections, session.messages()) == (0, [])


@pytest.mark.parametrize(
    ("line", "first", "last"),
    [
        ("001.002.003.004 - 001.002.003.009 , 000 , eMule", "1.2.3.4", "1.2.3.9"),
        ("PeerGuardian: some:1.2.3.4-1.2.3.9", "1.2.3.4", "1.2.3.9"),
        ("bad:1.2.3.4-1.2.3.9", "1.2.3.4", "1.2.3.9"),
        ("2001:db8::1-2001:db8::9", "2001:db8::1", "2001:db8::9"),
        ("010.000.000.000/8", "10.0.0.0", "10.255.255.255"),
        ("2001:db8::/32", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("  1.2.3.0  ", "1.2.3.0", "1.2.3.0"),
    ],
)
@pytest.mark.parametrize("opener", [open, gzip.open])
def test_lines_of_block_lists_are_read(
    tmp_path: Path, line: str, first: str, last: str, opener: Callable[..., Any]
) -> None:
    path = tmp_path / "list"
    with opener(path, "wt") as file:
        file.write(f"# 9.9.9.9\n{line}\n1.2.3.9 - 1.2.3.4 , 000 , turned\n")
    assert read_block_list(path) == [AddressRule(first, last, True)]


def test_private_torrent_offers_no_peer_exchange(session: Session, tmp_path: Path) -> None:
    torrents = {
        private: make_torrent(tmp_path / "seed", SIZES, name=f"private-{private}", private=private)
        for private in (False, True)
    }
    with peer() as other:
        configure(session)
        for id, torrent in enumerate(torrents.values(), 1):
            add(session, torrent, tmp_path / str(id), other.address, id=id)
        until(session, lambda: len(other.extensions) == 2)
        offered = {
            private: b"ut_pex" in other.extensions[bytes.fromhex(torrent.info_hash)]
            for private, torrent in torrents.items()
        }
    assert offered == {False: True, True: False}
