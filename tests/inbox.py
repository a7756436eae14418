"""A server that receives notifications."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import apprise


class Inbox:
    """Records the messages that apprise posts."""

    def __init__(self, server: HTTPServer) -> None:
        self.url = f"json://user:hunter2secret@127.0.0.1:{server.server_port}/"
        self.posted: list[dict[str, Any]] = []
        self.answer = 200

    @property
    def messages(self) -> list[str]:
        return [each["message"] for each in self.posted]


@contextmanager
def inbox_server() -> Iterator[Inbox]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.posted.append(json.loads(body))
            self.send_response(found.answer)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    # Apprise loads all of its plugins on first use, which takes longer than the request timeout.
    apprise.Apprise.instantiate("json://localhost")
    server = HTTPServer(("127.0.0.1", 0), Handler)
    found = Inbox(server)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield found
    server.shutdown()
    thread.join()
    server.server_close()
