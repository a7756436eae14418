"""FTP, and ways around through proxies."""

import pytest

from tests.downloads.transfer.desk import Desk, content
from tests.downloads.transfer.other_servers import Ftp, ftp, http_proxy, socks_proxy
from tests.downloads.transfer.servers import Asked, Nginx, Send, head, liar

DATA = content(2_000_000)


@pytest.mark.parametrize("knows_size", [True, False])
def test_a_file_by_ftp(desk: Desk, knows_size: bool) -> None:
    with ftp(Ftp({"a file.bin": DATA}, knows_size=knows_size)) as server:
        assert desk.finished(server.url("a%20file.bin"), connections=4) == DATA


def test_an_empty_file_by_ftp(desk: Desk) -> None:
    with ftp(Ftp({"empty": b""})) as server:
        assert desk.finished(server.url("empty")) == b""


def test_ftp_goes_on_after_a_cut(desk: Desk) -> None:
    with ftp(Ftp({"a.bin": DATA}, cut_at=700_000)) as server:
        assert desk.finished(server.url("a.bin")) == DATA
    rests = [command for command in server.commands if command.startswith("REST")]
    assert rests[0] == f"REST {700_000 - 65536}"


def test_ftp_without_resume_starts_again(desk: Desk) -> None:
    with ftp(Ftp({"a.bin": DATA}, cut_at=700_000, knows_rest=False)) as server:
        failed = desk.failed(server.url("a.bin"))
        assert failed.retryable
        server.cut_at = None
        assert desk.finished(server.url("a.bin")) == DATA


def test_ftp_notices_another_version(desk: Desk) -> None:
    files = {"a.bin": DATA}
    with ftp(Ftp(files, cut_at=700_000)) as server:
        desk.engine.limit(1_000_000)
        desk.begin(server.url("a.bin"))
        desk.when(lambda seen: seen.bytes_done > 300_000)
        desk.pause()
        desk.engine.limit(None)
        files["a.bin"] = content(len(DATA), seed=8)
        server.cut_at = None
        assert desk.finished(server.url("a.bin")) == files["a.bin"]


def test_ftp_says_what_is_gone(desk: Desk) -> None:
    with ftp(Ftp({})) as server:
        failed = desk.failed(server.url("a.bin"))
    assert (failed.problem.code, failed.offline) == ("file_offline", True)


@pytest.mark.parametrize("tls", [False, True])
def test_through_an_http_proxy(web: Nginx, desk: Desk, tls: bool) -> None:
    web.add("proxied.bin", DATA)
    url = (web.tls_url if tls else web.url)("medium/proxied.bin")
    with http_proxy() as proxy:
        through = f"http://127.0.0.1:{proxy.port}"
        assert desk.finished(url, proxy=through, connections=3) == DATA
    # How many connections it takes to load this much depends on how busy the machine is.
    assert proxy.asked


@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
def test_through_a_socks_proxy(web: Nginx, desk: Desk, scheme: str) -> None:
    web.add("proxied.bin", DATA)
    url = web.url("proxied.bin")
    if scheme == "socks5h":
        url = url.replace("127.0.0.1", "localhost")
    with socks_proxy() as proxy:
        assert desk.finished(url, proxy=f"{scheme}://127.0.0.1:{proxy.port}") == DATA
    assert proxy.asked[0].startswith("localhost:" if scheme == "socks5h" else "127.0.0.1:")


def test_07_a_proxy_does_not_open_the_private_network(desk: Desk) -> None:
    """Only what an address spells out can be seen through a proxy; that is refused all the same."""
    strict = Desk(desk.folder, allow_private=False)

    def script(asked: Asked, send: Send) -> None:
        send(head("302 Found", "Location: http://192.168.0.1/", "Content-Length: 0"))

    with liar(script) as server, http_proxy() as proxy:
        through = f"http://127.0.0.1:{proxy.port}"
        failed = strict.failed("http://10.0.0.1/", proxy=through)
        assert failed.problem.code == "address_forbidden"
        failed = strict.failed(server.url(host="localhost"), proxy=through)
        assert failed.problem.code == "address_forbidden"
        assert proxy.asked == [f"GET {server.url(host='localhost')}"]
    strict.engine.stop()


def test_a_proxy_that_is_not_there(web: Nginx, desk: Desk) -> None:
    failed = desk.failed(web.url("x"), proxy="http://127.0.0.1:9")
    assert failed.problem.code == "network_error"
    assert failed.retryable
