"""A minimal FTP server and minimal proxies for testing the client."""

import re
import select
import socket
import socketserver
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.downloads.transfer.servers import threaded


@dataclass
class Ftp:
    files: dict[str, bytes]
    knows_size: bool = True
    knows_rest: bool = True
    cut_at: int | None = None  # closes each transfer after this many bytes
    # The lists of folders, as MLSD and LIST send them; None if the command is unknown.
    machine_lists: dict[str, str] | None = None
    lists: dict[str, str] = field(default_factory=dict)
    port: int = 0
    commands: list[str] = field(default_factory=list)

    def url(self, name: str) -> str:
        return f"ftp://127.0.0.1:{self.port}/{name}"


class FtpHandler(socketserver.StreamRequestHandler):
    ftp: Ftp
    rest = 0
    folder = "/"
    data: socket.socket | None = None

    def finish(self) -> None:
        super().finish()
        if self.data:
            self.data.close()

    def say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())

    def handle(self) -> None:
        self.say("220 hello")
        for line in self.rfile:
            command, _, argument = line.decode().strip().partition(" ")
            self.ftp.commands.append(f"{command} {argument}".strip())
            answer = getattr(self, f"on_{command.lower()}", None)
            if answer is None:
                self.say("200 fine" if command in ("TYPE", "CWD") else "502 no")
            else:
                answer(argument)

    def on_user(self, _: str) -> None:
        self.say("331 password")

    def on_pass(self, _: str) -> None:
        self.say("230 in")

    def on_pwd(self, _: str) -> None:
        self.say('257 "/"')

    def on_epsv(self, _: str) -> None:
        if self.data:
            self.data.close()
        self.data = socket.create_server(("127.0.0.1", 0))
        self.say(f"229 (|||{self.data.getsockname()[1]}|)")

    def on_size(self, name: str) -> None:
        data = self.ftp.files.get(name.lstrip("/"))
        if not self.ftp.knows_size:
            self.say("502 no")
        else:
            self.say("550 no" if data is None else f"213 {len(data)}")

    def on_rest(self, at: str) -> None:
        self.rest = int(at)
        self.say("350 go" if self.ftp.knows_rest else "502 no")

    def on_retr(self, name: str) -> None:
        data = self.ftp.files.get(name.lstrip("/"))
        if data is None or self.data is None:
            self.say("550 no")
            return
        self.say("150 here")
        with self.data, self.data.accept()[0] as connection:
            end = None if self.ftp.cut_at is None else self.rest + self.ftp.cut_at
            connection.sendall(data[self.rest : end])
        whole = end is None or end >= len(data)
        self.rest = 0
        self.say("226 done" if whole else "426 cut")

    def on_cwd(self, name: str) -> None:
        folder = f"{self.folder}{name}/" if not name.startswith("/") else name.rstrip("/") + "/"
        known = {*(self.ftp.machine_lists or {}), *self.ftp.lists}
        if known and not any(each.startswith(folder) for each in known):
            self.say("550 no")
            return
        self.folder = folder
        self.say("250 fine")

    def on_mlsd(self, _: str) -> None:
        self._send_list(self.ftp.machine_lists)

    def on_list(self, _: str) -> None:
        self._send_list(self.ftp.lists)

    def _send_list(self, lists: dict[str, str] | None) -> None:
        if lists is None or self.data is None:
            self.say("500 no")
            return
        self.say("150 here")
        with self.data, self.data.accept()[0] as connection:
            connection.sendall(lists[self.folder].replace("\n", "\r\n").encode())
        self.say("226 done")

    def on_quit(self, _: str) -> None:
        self.say("221 bye")


@contextmanager
def ftp(server: Ftp) -> Iterator[Ftp]:
    handler = type("Handler", (FtpHandler,), {"ftp": server})
    with threaded(handler, "127.0.0.1") as server.port:
        yield server


@dataclass
class Proxy:
    port: int = 0
    asked: list[str] = field(default_factory=list)
    # The request heads as received, including headers for the proxy only.
    heads: list[str] = field(default_factory=list)


@contextmanager
def http_proxy() -> Iterator[Proxy]:
    """Forward plain requests and tunnel CONNECT requests."""
    proxy = Proxy()

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            data = b""
            while b"\r\n\r\n" not in data:
                if not (piece := self.request.recv(65536)):
                    return
                data += piece
            method, target, _ = data.split(b"\r\n")[0].decode().split()
            proxy.asked.append(f"{method} {target}")
            proxy.heads.append(data.decode(errors="replace"))
            found = re.match(r"(?:http://)?([^/:]+):(\d+)", target)
            assert found
            with socket.create_connection((found[1], int(found[2]))) as onward:
                if method == "CONNECT":
                    self.request.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
                else:
                    onward.sendall(data.replace(found[0].encode(), b"", 1))
                relay(self.request, onward)

    with threaded(Handler, "127.0.0.1") as proxy.port:
        yield proxy


@contextmanager
def socks_proxy() -> Iterator[Proxy]:
    proxy = Proxy()

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(64)
            self.request.sendall(b"\x05\x00")
            data = self.request.recv(512)
            if data[3] == 1:
                host, port = socket.inet_ntoa(data[4:8]), int.from_bytes(data[8:10])
            else:
                end = 5 + data[4]
                host, port = data[5:end].decode(), int.from_bytes(data[end : end + 2])
            proxy.asked.append(f"{host}:{port}")
            with socket.create_connection((host, port)) as onward:
                self.request.sendall(b"\x05\x00\x00\x01" + bytes(6))
                relay(self.request, onward)

    with threaded(Handler, "127.0.0.1") as proxy.port:
        yield proxy


def relay(one: socket.socket, other: socket.socket) -> None:
    while True:
        for ready in select.select([one, other], [], [])[0]:
            data = ready.recv(65536)
            if not data:
                return
            (other if ready is one else one).sendall(data)
