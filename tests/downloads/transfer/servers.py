"""Servers on loopback: nginx for normal behaviour, and a scripted one for misbehaviour."""

import re
import shutil
import socket
import socketserver
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.real_servers import accepts, free_port, running

_NGINX = """
daemon off; master_process off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
  access_log {folder}/access.log; sendfile on; types {{ text/html html; }}
  default_type application/octet-stream;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  limit_conn_zone $server_port zone=one:1m;
  server {{
    listen 127.0.0.1:{port};
    listen 127.0.0.1:{tls} ssl http2;
    ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem;
    root {folder}/files;
    location /single/ {{ alias {folder}/files/; limit_conn one 1; limit_rate 4m; }}
    location /slow/ {{ alias {folder}/files/; limit_rate 256k; }}
    location /medium/ {{ alias {folder}/files/; limit_rate 4m; }}
    location /bare/ {{
      alias {folder}/files/; limit_rate 256k; etag off; add_header Last-Modified "";
    }}
    location /plain/ {{ alias {folder}/files/; max_ranges 0; }}
    location /cipher {{ return 200 "$ssl_cipher"; }}
    location /moved/ {{ rewrite ^/moved/(.*)$ /$1 redirect; }}
    location /named/ {{
      alias {folder}/files/;
      add_header Content-Disposition "attachment; filename=a.bin; filename*=UTF-8''sch%C3%B6n.bin";
    }}
  }}
}}
"""


@dataclass(frozen=True)
class Nginx:
    folder: Path
    port: int
    tls_port: int

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}/{path}"

    def tls_url(self, path: str) -> str:
        return f"https://127.0.0.1:{self.tls_port}/{path}"

    @property
    def ca_file(self) -> str:
        return str(self.folder / "cert.pem")

    def add(self, name: str, data: bytes) -> None:
        (self.folder / "files" / name).write_bytes(data)

    def requests(self) -> list[str]:
        return (self.folder / "access.log").read_text().splitlines()


@contextmanager
def nginx(folder: Path) -> Iterator[Nginx]:
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    make_certificate(folder)
    (folder / "files").mkdir()
    server = Nginx(folder, free_port(), free_port())
    text = _NGINX.format(folder=folder, port=server.port, tls=server.tls_port)
    (folder / "nginx.conf").write_text(text)
    command = [program, "-e", str(folder / "error.log"), "-c", str(folder / "nginx.conf")]
    with running(command, lambda: accepts(server.port)):
        yield server


def make_certificate(folder: Path) -> None:
    options = "req -x509 -newkey rsa:2048 -nodes -days 3 -subj /CN=localhost"
    names = ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run(["openssl", *options.split(), *names, *files], check=True, capture_output=True)


@dataclass(frozen=True)
class ReceivedRequest:
    """A received request."""

    path: str
    headers: dict[str, str]

    @property
    def range(self) -> tuple[int, int | None] | None:
        found = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("range", ""))
        if not found:
            return None
        return int(found[1]), int(found[2]) + 1 if found[2] else None


Send = Callable[[bytes], None]
Script = Callable[[ReceivedRequest, Send], None]


@dataclass
class ScriptedServer:
    """Runs a script for every request and closes the connection afterwards."""

    port: int
    asked: list[ReceivedRequest] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)

    def url(self, path: str = "file.bin", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}/{path}"

    @property
    def ranges(self) -> list[tuple[int, int | None] | None]:
        return [each.range for each in self.asked]


@contextmanager
def scripted_server(script: Script, host: str = "127.0.0.1") -> Iterator[ScriptedServer]:
    server: ScriptedServer

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            asked = read_request(self.request)
            if asked is None:
                return
            server.asked.append(asked)
            try:
                script(asked, self.request.sendall)
                # Close our side and wait for the peer, so that nothing is lost in a reset.
                self.request.shutdown(socket.SHUT_WR)
            except OSError:
                return

    with threaded(Handler, host) as port:
        server = ScriptedServer(port)
        try:
            yield server
        finally:
            server.stopping.set()


@contextmanager
def threaded(handler: type[socketserver.BaseRequestHandler], host: str) -> Iterator[int]:
    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True
        block_on_close = False

    with Server((host, 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def read_request(connection: socket.socket) -> ReceivedRequest | None:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return None
        data += piece
    first, *lines = data.split(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    pairs = (line.split(":", 1) for line in lines)
    return ReceivedRequest(
        first.split()[1], {name.strip().lower(): text.strip() for name, text in pairs}
    )


def head(status: str, *lines: str) -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode()


def correct_server(data: bytes, *extra: str) -> Script:
    """Respond like a correct server; the other scripts change one detail of it."""

    def script(asked: ReceivedRequest, send: Send) -> None:
        send(answer_head(data, asked, *extra) + body_for(data, asked))

    return script


def answer_head(data: bytes, asked: ReceivedRequest, *extra: str) -> bytes:
    if asked.range is None:
        return head("200 OK", f"Content-Length: {len(data)}", *extra)
    start, end = asked.range[0], min(asked.range[1] or len(data), len(data))
    return head(
        "206 Partial Content",
        f"Content-Length: {end - start}",
        f"Content-Range: bytes {start}-{end - 1}/{len(data)}",
        *extra,
    )


def body_for(data: bytes, asked: ReceivedRequest) -> bytes:
    return data if asked.range is None else data[asked.range[0] : asked.range[1]]
