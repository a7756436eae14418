"""Notifications are sent by a child process that enforces the address policy."""

import socketserver
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from quartet.kernel import notifications
from quartet.kernel.address_policy import AddressPolicy


class Listener:
    """A server that optionally redirects and records its clients."""

    def __init__(self, leads_to: str | None = None, host: str = "127.0.0.1") -> None:
        self.requests: list[str] = []
        listener = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                listener.requests.append(self.path)
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(302 if leads_to else 200)
                if leads_to:
                    self.send_header("Location", leads_to)
                self.end_headers()

            do_GET = do_POST

            def log_message(self, *_: object) -> None:
                """Do not log requests."""

        self._server = HTTPServer((host, 0), Handler)
        self.port = self._server.server_address[1]

    def __enter__(self) -> "Listener":
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def test_notification_reaches_allowed_address() -> None:
    with Listener() as server:
        assert notifications.send(
            f"json://127.0.0.1:{server.port}/x", "a", "b", AddressPolicy(True)
        )
        assert server.requests == ["/x"]


def test_redirect_to_private_network_is_not_followed() -> None:
    with Listener(host="127.0.0.2") as inside, Listener(f"http://127.0.0.2:{inside.port}/") as out:
        url = f"json://127.0.0.1:{out.port}/x"
        assert not notifications.send(url, "a", "b", AddressPolicy(["127.0.0.1"]))
        assert (out.requests, inside.requests) == (["/x"], [])


@pytest.fixture
def mail_port() -> Iterator[tuple[int, list[str]]]:
    requests: list[str] = []

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            requests.append(self.client_address[0])

    with socketserver.TCPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}).start()
        yield server.server_address[1], requests
        server.shutdown()


def test_mail_server_in_private_network_is_not_contacted(mail_port: tuple[int, list[str]]) -> None:
    port, requests = mail_port
    url = f"mailto://me:pw@93.184.216.34:{port}?smtp=127.0.0.1&mode=insecure&to=me@example.org"
    assert notifications.check_url(url, AddressPolicy(False)) == "fine"
    assert not notifications.send(url, "a", "b", AddressPolicy(False))
    assert requests == []
    assert not notifications.send(url, "a", "b", AddressPolicy(True)) and requests == ["127.0.0.1"]
