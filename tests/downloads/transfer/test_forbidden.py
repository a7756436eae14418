"""Malicious responses and addresses."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from quartet.downloads.transfer.redirects import origin
from tests.downloads.transfer.engine_bench import EngineBench, content
from tests.downloads.transfer.servers import (
    ReceivedRequest,
    Send,
    correct_server,
    head,
    scripted_server,
)

DATA = content(1000)


@pytest.fixture
def strict(tmp_path: Path) -> Iterator[EngineBench]:
    """An engine that may reach no private address except 127.0.0.2."""
    bench = EngineBench(tmp_path, allow_private=["127.0.0.2/32"])
    yield bench
    bench.engine.stop()


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]"]
)
def test_private_network_is_blocked(strict: EngineBench, host: str) -> None:
    with scripted_server(correct_server(DATA)) as server:
        failed = strict.failed(server.url(host=host))
        assert failed.problem.code == "address_forbidden"
        assert not failed.retryable
        assert server.asked == []


def test_metadata_services_are_blocked(strict: EngineBench) -> None:
    assert strict.failed("http://169.254.169.254/latest").problem.code == "address_forbidden"


def test_allowed_address_is_reached(strict: EngineBench) -> None:
    with scripted_server(correct_server(DATA), host="127.0.0.2") as server:
        assert strict.finished(server.url(host="127.0.0.2")) == DATA


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "[::1]"])
def test_redirect_to_private_network_is_blocked(strict: EngineBench, host: str) -> None:
    """The check is made for each connection, so neither redirects nor DNS changes bypass it."""
    with scripted_server(correct_server(DATA)) as inner:
        target = inner.url("?token=secret", host)

        def script(asked: ReceivedRequest, send: Send) -> None:
            send(head("302 Found", f"Location: {target}", "Content-Length: 0"))

        with scripted_server(script, host="127.0.0.2") as outer:
            failed = strict.failed(outer.url(host="127.0.0.2"))
        assert failed.problem.code == "address_forbidden"
        assert "secret" not in repr(failed)
        assert inner.asked == []


def test_host_can_be_allowed_by_name(tmp_path: Path) -> None:
    bench = EngineBench(tmp_path, allow_private=["localhost"])
    with scripted_server(correct_server(DATA)) as server:
        assert bench.finished(server.url(host="localhost")) == DATA
        assert bench.failed(server.url(), id=2).problem.code == "address_forbidden"
    bench.engine.stop()


@pytest.mark.parametrize("target", ["file:///etc/passwd", "gopher://127.0.0.1/", "dict://x/", "//"])
def test_redirects_to_other_schemes_are_rejected(bench: EngineBench, target: str) -> None:
    def script(asked: ReceivedRequest, send: Send) -> None:
        send(head("302 Found", f"Location: {target}", "Content-Length: 0"))

    with scripted_server(script) as server:
        failed = bench.failed(server.url())
    assert failed.problem.code == "bad_address"
    assert not failed.retryable


@pytest.mark.parametrize("url", ["file:///etc/passwd", "nonsense", "http://", "http://a b/", ""])
def test_invalid_addresses_are_rejected(bench: EngineBench, url: str) -> None:
    assert bench.failed(url).problem.code == "bad_address"


def test_number_of_redirects_is_limited(bench: EngineBench) -> None:
    def script(asked: ReceivedRequest, send: Send) -> None:
        send(head("302 Found", f"Location: {asked.path}x", "Content-Length: 0"))

    with scripted_server(script) as server:
        failed = bench.failed(server.url())
    assert failed.problem.code == "too_many_redirects"
    assert len(server.asked) == 11


def test_redirect_with_endless_body_is_followed(bench: EngineBench) -> None:
    def script(asked: ReceivedRequest, send: Send) -> None:
        if asked.path == "/end":
            correct_server(DATA)(asked, send)
            return
        send(head("302 Found", "Location: /end", "Connection: close"))
        while not server.stopping.is_set():
            send(b"x" * 65536)

    with scripted_server(script) as server:
        assert bench.finished(server.url()) == DATA


@pytest.mark.parametrize(
    "lines", [["X-Long: " + "a" * 1_000_000], [f"X-{n}: {'b' * 100}" for n in range(10_000)]]
)
def test_size_of_response_head_is_limited(bench: EngineBench, lines: list[str]) -> None:
    with scripted_server(lambda asked, send: send(head("200 OK", *lines) + b"body")) as server:
        failed = bench.failed(server.url())
    assert failed.problem.code in ("bad_headers", "network_error")


def test_response_that_is_not_http(bench: EngineBench) -> None:
    with scripted_server(lambda asked, send: send(b"SSH-2.0-OpenSSH_9\r\n" * 10)) as server:
        failed = bench.failed(server.url())
    assert failed.problem.code in ("bad_headers", "network_error")


def test_secrets_are_not_sent_to_other_hosts(bench: EngineBench) -> None:
    """Cookies and authorisation are only sent to the host they were given for."""
    with scripted_server(correct_server(DATA), host="127.0.0.2") as other:

        def script(asked: ReceivedRequest, send: Send) -> None:
            if asked.path == "/file.bin":
                lines = ("Location: /second", "Set-Cookie: step=1; Path=/", "Content-Length: 0")
                send(head("302 Found", *lines))
            else:
                target = other.url(host="127.0.0.2")
                send(head("302 Found", f"Location: {target}", "Content-Length: 0"))

        with scripted_server(script) as server:
            headers = {"Authorization": "Bearer s3cret", "Referer": "http://page/"}
            data = bench.finished(server.url(), headers=headers, cookies={"session": "s3cret"})
    assert data == DATA
    first, second = server.asked
    assert first.headers["authorization"] == "Bearer s3cret"
    assert first.headers["cookie"] == "session=s3cret"
    assert sorted(second.headers["cookie"].split("; ")) == ["session=s3cret", "step=1"]
    assert "authorization" not in other.asked[0].headers
    assert "cookie" not in other.asked[0].headers
    assert other.asked[0].headers["referer"] == "http://page/"
    assert other.asked[0].headers["accept-encoding"] == "identity"
    assert "s3cret" not in repr(bench.job(server.url(), headers=headers))


@pytest.mark.parametrize(
    "url",
    [
        "http://user:secret@Host.example:8080/path//more?a=b/c#d",
        "http://host.example?http://other.example/x",
        "http://host.example#@other.example/x/y",
        "http:///host.example/x",
        "http:/host.example/x/y",
        "http:/\n/host.example/x/y",
        " http://host.example/x",
        "http://host.example\\@other.example/x/y",
        "http://[::1]:80/x/y",
        "a/b/c://host.example/x",
        "//host.example/x/y",
    ],
)
def test_origin_is_that_of_the_whole_address(url: str) -> None:
    parts = urlsplit(url)
    assert origin(url) == (parts.scheme, parts.hostname or "", parts.port)
