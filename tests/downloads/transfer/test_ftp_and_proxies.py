"""FTP and proxies."""

import pytest

from quartet.downloads.transfer import ServerCredentials
from tests.downloads.transfer.engine_bench import EngineBench, content
from tests.downloads.transfer.other_servers import Ftp, ftp, http_proxy, socks_proxy
from tests.downloads.transfer.servers import Nginx, ReceivedRequest, Send, head, scripted_server

DATA = content(2_000_000)


@pytest.mark.parametrize("knows_size", [True, False])
def test_ftp_download(bench: EngineBench, knows_size: bool) -> None:
    with ftp(Ftp({"a file.bin": DATA}, knows_size=knows_size)) as server:
        assert bench.finished(server.url("a%20file.bin"), connections=4) == DATA


def test_ftp_login_is_sent_to_its_server_unless_the_link_has_one(bench: EngineBench) -> None:
    with ftp(Ftp({"a.bin": DATA})) as server:
        url = server.url("a.bin")
        login = ServerCredentials(server.url("").rstrip("/"), "ada", "päss word")
        others = [
            ServerCredentials("ftp://127.0.0.1", "no", "no"),
            ServerCredentials(url.replace("ftp", "sftp"), "no", ""),
        ]
        assert bench.finished(url, logins=[*others, login]) == DATA
        own = url.replace("//", "//robin:own@")
        assert bench.finished(own, id=2, logins=[login]) == DATA
        assert bench.finished(url, id=3, logins=others) == DATA
    sent = [each for each in server.commands if each.startswith(("USER", "PASS"))]
    assert sent[0::2] == ["USER ada", "USER robin", "USER anonymous"]
    assert sent[1:4:2] == ["PASS päss word", "PASS own"]
    assert "päss" not in repr(login)


def test_empty_file_over_ftp(bench: EngineBench) -> None:
    with ftp(Ftp({"empty": b""})) as server:
        assert bench.finished(server.url("empty")) == b""


def test_ftp_resumes_after_broken_connection(bench: EngineBench) -> None:
    with ftp(Ftp({"a.bin": DATA}, cut_at=700_000)) as server:
        assert bench.finished(server.url("a.bin")) == DATA
    rests = [command for command in server.commands if command.startswith("REST")]
    assert rests[0] == f"REST {700_000 - 65536}"


def test_ftp_without_resume_starts_over(bench: EngineBench) -> None:
    with ftp(Ftp({"a.bin": DATA}, cut_at=700_000, knows_rest=False)) as server:
        failed = bench.failed(server.url("a.bin"))
        assert failed.retryable
        server.cut_at = None
        assert bench.finished(server.url("a.bin")) == DATA


def test_ftp_detects_changed_file(bench: EngineBench) -> None:
    files = {"a.bin": DATA}
    with ftp(Ftp(files, cut_at=700_000)) as server:
        bench.engine.limit(200_000)
        bench.begin(server.url("a.bin"))
        bench.when(lambda seen: seen.bytes_done > 100_000)
        bench.pause()
        bench.engine.limit(None)
        files["a.bin"] = content(len(DATA), seed=8)
        server.cut_at = None
        assert bench.finished(server.url("a.bin")) == files["a.bin"]


def test_ftp_reports_missing_file(bench: EngineBench) -> None:
    with ftp(Ftp({})) as server:
        failed = bench.failed(server.url("a.bin"))
    assert (failed.problem.code, failed.offline) == ("file_offline", True)


@pytest.mark.parametrize("tls", [False, True])
def test_http_proxy(web: Nginx, bench: EngineBench, tls: bool) -> None:
    web.add("proxied.bin", DATA)
    url = (web.tls_url if tls else web.url)("medium/proxied.bin")
    with http_proxy() as proxy:
        through = f"http://127.0.0.1:{proxy.port}"
        assert bench.finished(url, proxy=through, connections=3) == DATA
    # The number of connections depends on how busy the machine is.
    assert proxy.asked


@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
def test_socks_proxy(web: Nginx, bench: EngineBench, scheme: str) -> None:
    web.add("proxied.bin", DATA)
    url = web.url("proxied.bin")
    if scheme == "socks5h":
        url = url.replace("127.0.0.1", "localhost")
    with socks_proxy() as proxy:
        assert bench.finished(url, proxy=f"{scheme}://127.0.0.1:{proxy.port}") == DATA
    assert proxy.asked[0].startswith("localhost:" if scheme == "socks5h" else "127.0.0.1:")


def test_proxy_does_not_open_private_network(bench: EngineBench) -> None:
    """Through a proxy only literal addresses can be checked, and they are."""
    strict = EngineBench(bench.folder, allow_private=False)

    def script(asked: ReceivedRequest, send: Send) -> None:
        send(head("302 Found", "Location: http://192.168.0.1/", "Content-Length: 0"))

    with scripted_server(script) as server, http_proxy() as proxy:
        through = f"http://127.0.0.1:{proxy.port}"
        failed = strict.failed("http://10.0.0.1/", proxy=through)
        assert failed.problem.code == "address_forbidden"
        failed = strict.failed(server.url(host="localhost"), proxy=through)
        assert failed.problem.code == "address_forbidden"
        assert proxy.asked == [f"GET {server.url(host='localhost')}"]
    strict.engine.stop()


def test_unreachable_proxy_is_reported(web: Nginx, bench: EngineBench) -> None:
    failed = bench.failed(web.url("x"), proxy="http://127.0.0.1:9")
    assert failed.problem.code == "network_error"
    assert failed.retryable
