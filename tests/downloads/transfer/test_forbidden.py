"""Hostile case 7: answers and addresses meant to do harm."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.downloads.transfer.desk import Desk, content
from tests.downloads.transfer.servers import Asked, Send, head, honest, liar

DATA = content(1000)


@pytest.fixture
def strict(tmp_path: Path) -> Iterator[Desk]:
    """May reach 127.0.0.2 and nothing else that is private."""
    desk = Desk(tmp_path, allow_private=["127.0.0.2/32"])
    yield desk
    desk.engine.stop()


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]"]
)
def test_07_the_private_network_is_closed(strict: Desk, host: str) -> None:
    with liar(honest(DATA)) as server:
        failed = strict.failed(server.url(host=host))
        assert failed.problem.code == "address_forbidden"
        assert not failed.retryable
        assert server.asked == []


def test_07_metadata_services_are_closed(strict: Desk) -> None:
    assert strict.failed("http://169.254.169.254/latest").problem.code == "address_forbidden"


def test_07_what_is_allowed_is_reached(strict: Desk) -> None:
    with liar(honest(DATA), host="127.0.0.2") as server:
        assert strict.finished(server.url(host="127.0.0.2")) == DATA


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "[::1]"])
def test_07_a_redirect_does_not_open_it(strict: Desk, host: str) -> None:
    """The check sits at the connection, so neither redirects nor names that change get around."""
    with liar(honest(DATA)) as inner:
        target = inner.url("?token=secret", host)

        def script(asked: Asked, send: Send) -> None:
            send(head("302 Found", f"Location: {target}", "Content-Length: 0"))

        with liar(script, host="127.0.0.2") as outer:
            failed = strict.failed(outer.url(host="127.0.0.2"))
        assert failed.problem.code == "address_forbidden"
        assert "secret" not in repr(failed)
        assert inner.asked == []


def test_07_a_host_may_be_trusted_by_name(tmp_path: Path) -> None:
    desk = Desk(tmp_path, allow_private=["localhost"])
    with liar(honest(DATA)) as server:
        assert desk.finished(server.url(host="localhost")) == DATA
        assert desk.failed(server.url(), id=2).problem.code == "address_forbidden"
    desk.engine.stop()


@pytest.mark.parametrize("target", ["file:///etc/passwd", "gopher://127.0.0.1/", "dict://x/", "//"])
def test_07_redirects_lead_to_servers_only(desk: Desk, target: str) -> None:
    def script(asked: Asked, send: Send) -> None:
        send(head("302 Found", f"Location: {target}", "Content-Length: 0"))

    with liar(script) as server:
        failed = desk.failed(server.url())
    assert failed.problem.code == "bad_address"
    assert not failed.retryable


@pytest.mark.parametrize("url", ["file:///etc/passwd", "nonsense", "http://", "http://a b/", ""])
def test_07_addresses_are_of_servers(desk: Desk, url: str) -> None:
    assert desk.failed(url).problem.code == "bad_address"


def test_07_redirects_end(desk: Desk) -> None:
    def script(asked: Asked, send: Send) -> None:
        send(head("302 Found", f"Location: {asked.path}x", "Content-Length: 0"))

    with liar(script) as server:
        failed = desk.failed(server.url())
    assert failed.problem.code == "too_many_redirects"
    assert len(server.asked) == 11


def test_07_a_redirect_with_an_endless_body_is_followed(desk: Desk) -> None:
    def script(asked: Asked, send: Send) -> None:
        if asked.path == "/end":
            honest(DATA)(asked, send)
            return
        send(head("302 Found", "Location: /end", "Connection: close"))
        while not server.stopping.is_set():
            send(b"x" * 65536)

    with liar(script) as server:
        assert desk.finished(server.url()) == DATA


@pytest.mark.parametrize(
    "lines", [["X-Long: " + "a" * 1_000_000], [f"X-{n}: {'b' * 100}" for n in range(10_000)]]
)
def test_07_a_head_has_a_size(desk: Desk, lines: list[str]) -> None:
    with liar(lambda asked, send: send(head("200 OK", *lines) + b"body")) as server:
        failed = desk.failed(server.url())
    assert failed.problem.code in ("bad_headers", "network_error")


def test_07_an_answer_that_is_none(desk: Desk) -> None:
    with liar(lambda asked, send: send(b"SSH-2.0-OpenSSH_9\r\n" * 10)) as server:
        failed = desk.failed(server.url())
    assert failed.problem.code in ("bad_headers", "network_error")


def test_07_secrets_stay_with_the_first_address(desk: Desk) -> None:
    """Cookies and authorisation are for the host they were given for."""
    with liar(honest(DATA), host="127.0.0.2") as other:

        def script(asked: Asked, send: Send) -> None:
            if asked.path == "/file.bin":
                lines = ("Location: /second", "Set-Cookie: step=1; Path=/", "Content-Length: 0")
                send(head("302 Found", *lines))
            else:
                target = other.url(host="127.0.0.2")
                send(head("302 Found", f"Location: {target}", "Content-Length: 0"))

        with liar(script) as server:
            headers = {"Authorization": "Bearer s3cret", "Referer": "http://page/"}
            data = desk.finished(server.url(), headers=headers, cookies={"session": "s3cret"})
    assert data == DATA
    first, second = server.asked
    assert first.headers["authorization"] == "Bearer s3cret"
    assert first.headers["cookie"] == "session=s3cret"
    assert sorted(second.headers["cookie"].split("; ")) == ["session=s3cret", "step=1"]
    assert "authorization" not in other.asked[0].headers
    assert "cookie" not in other.asked[0].headers
    assert other.asked[0].headers["referer"] == "http://page/"
    assert other.asked[0].headers["accept-encoding"] == "identity"
    assert "s3cret" not in repr(desk.job(server.url(), headers=headers))
