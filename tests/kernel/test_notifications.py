"""Notifications are sent by a child process that enforces the address policy."""

import json
import socket
import socketserver
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
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
def tcp_port() -> Iterator[tuple[int, list[str]]]:
    requests: list[str] = []

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            requests.append(self.client_address[0])

    with socketserver.TCPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}).start()
        yield server.server_address[1], requests
        server.shutdown()


def test_mail_server_in_private_network_is_not_contacted(tcp_port: tuple[int, list[str]]) -> None:
    port, requests = tcp_port
    url = f"mailto://me:pw@93.184.216.34:{port}?smtp=127.0.0.1&mode=insecure&to=me@example.org"
    assert notifications.check_url(url, AddressPolicy(False)) == "fine"
    assert not notifications.send(url, "a", "b", AddressPolicy(False))
    assert requests == []
    assert not notifications.send(url, "a", "b", AddressPolicy(True)) and requests == ["127.0.0.1"]


def test_local_file_named_in_url_is_not_sent(
    tmp_path: Path, tcp_port: tuple[int, list[str]]
) -> None:
    secret = tmp_path / "secret.json"
    attachments = [{"contentType": "text", "content": "a secret"}]
    secret.write_text(json.dumps({"type": "message", "attachments": attachments}))
    port, requests = tcp_port
    url = f"workflows://127.0.0.1:{port}/workflow/signature/"
    assert not notifications.send(url, "a", "b", AddressPolicy(True)) and requests
    requests.clear()
    url += f"?template={secret}"
    assert notifications.check_url(url, AddressPolicy(True)) == "fine"
    assert not notifications.send(url, "a", "b", AddressPolicy(True)) and requests == []


def test_url_text_with_several_addresses_is_one_address() -> None:
    # Apprise itself would accept both.
    for url in ("syslog:// json://93.184.216.34/", "json://93.184.216.34/ syslog://"):
        verdict = notifications.check_url(url, AddressPolicy(False))
        schemes = notifications._schemes(notifications._apprise().instantiate(url))
        assert verdict == "unknown" or "syslog" not in schemes


def test_message_reaches_the_working_one_of_several_urls() -> None:
    with Listener() as server:
        urls = ["json://127.0.0.1:1/x", f"json://127.0.0.1:{server.port}/x", "nothing"]
        assert notifications.send_all(urls, "a", "b", AddressPolicy(True)) == [False, True, False]


def test_datagram_to_private_network_is_not_sent() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.setblocking(False)
        url = f"rsyslog://127.0.0.1:{receiver.getsockname()[1]}/user"
        assert not notifications.send(url, "a", "b", AddressPolicy(False))
        with pytest.raises(BlockingIOError):
            receiver.recv(100)
        assert notifications.send(url, "a", "b", AddressPolicy(True))
        assert b"b" in receiver.recv(1000)
