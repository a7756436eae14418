"""A small threaded file server that can hold files back."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

CHUNK = 16 * 1024


@dataclass
class Files:
    address: str = ""
    contents: dict[str, bytes] = field(default_factory=dict)
    # Until this event is set, files stop after their first bytes.
    open: Event = field(default_factory=Event)
    # Wait between chunks, so that tests can watch the download.
    seconds_per_chunk: float = 0.0
    ended: Event = field(default_factory=Event)

    def reset(self) -> None:
        self.open.set()
        self.seconds_per_chunk = 0.0

    def put(self, name: str, size: int) -> str:
        self.contents[f"/{name}"] = bytes(range(256)) * (size // 256)
        return f"{self.address}/{name}"


class Handler(BaseHTTPRequestHandler):
    files: Files

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, *, body: bool) -> None:
        data = self.files.contents.get(self.path)
        if data is None:
            self.send_error(404)
            return
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        first = int(wanted[1]) if wanted else 0
        last = min(int(wanted[2] or len(data)) if wanted else len(data), len(data) - 1)
        self.send_response(206 if wanted else 200)
        page = data.startswith(b"<")
        self.send_header("Content-Type", "text/html" if page else "application/octet-stream")
        self.send_header("ETag", '"one"')
        self.send_header("Content-Length", str(last + 1 - first))
        if wanted:
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
        self.end_headers()
        if body:
            self._send(data[first : last + 1])

    def _send(self, data: bytes) -> None:
        try:
            for place in range(0, len(data), CHUNK):
                self.wfile.write(data[place : place + CHUNK])
                self.files.open.wait()
                if self.files.seconds_per_chunk:
                    self.files.ended.wait(self.files.seconds_per_chunk)
        except (BrokenPipeError, ConnectionResetError):
            """Paused or deleted: nobody wants the rest."""

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@contextmanager
def file_server() -> Iterator[Files]:
    files = Files()
    files.open.set()
    handler = type("OneHandler", (Handler,), {"files": files})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    files.address = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield files
    finally:
        files.open.set()
        files.ended.set()
        server.shutdown()
        thread.join()
        server.server_close()
