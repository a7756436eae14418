"""Downloads from a real SFTP server."""

import getpass
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from quartet.downloads.transfer.curl import TrustFiles
from quartet.downloads.transfer.folder_listing import list_folder
from quartet.downloads.transfer.redirects import RedirectPolicy
from quartet.downloads.webpages.ftp_folder import read_listing
from quartet.kernel.errors import Problem
from tests.downloads.transfer.engine_bench import EngineBench, content
from tests.downloads.transfer.servers import ReceivedRequest, Send, head, scripted_server
from tests.prerequisites import missing_prerequisite
from tests.real_servers import accepts, free_port, running

DATA = content(3_000_000)
_CONFIG = """
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/own.pub
StrictModes no
PidFile none
Subsystem sftp internal-sftp
"""


@dataclass(frozen=True)
class SftpServer:
    folder: Path
    port: int

    def url(self, name: str = "file.bin") -> str:
        return f"sftp://{getpass.getuser()}@127.0.0.1:{self.port}{self.folder}/{name}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sftp")
    (folder / "file.bin").write_bytes(DATA)
    make_key(folder / "own")
    make_key(folder / "host")
    return folder


def make_key(path: Path) -> None:
    path.unlink(missing_ok=True)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)


@contextmanager
def sftp_server(folder: Path, port: int) -> Iterator[SftpServer]:
    program = shutil.which("sshd") or "/usr/sbin/sshd"
    if not Path(program).exists():
        missing_prerequisite("needs sshd")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    (folder / "config").write_text(_CONFIG.format(port=port, folder=folder))
    with running([program, "-D", "-f", str(folder / "config")], lambda: accepts(port)):
        yield SftpServer(folder, port)


@pytest.fixture
def server(folder: Path) -> Iterator[SftpServer]:
    with sftp_server(folder, free_port()) as server:
        yield server


@pytest.fixture
def sftp(tmp_path: Path, folder: Path) -> Iterator[EngineBench]:
    bench = EngineBench(tmp_path, **files(tmp_path, folder))
    yield bench
    bench.engine.stop()


def files(tmp_path: Path, folder: Path) -> dict[str, str]:
    return {"known_hosts": str(tmp_path / "known_hosts"), "ssh_key": str(folder / "own")}


def test_file_is_fetched_and_key_of_server_is_stored(
    sftp: EngineBench, server: SftpServer, tmp_path: Path
) -> None:
    assert sftp.finished(server.url()) == DATA
    [line] = (tmp_path / "known_hosts").read_text().splitlines()
    assert line.startswith(f"[127.0.0.1]:{server.port} ")
    assert sftp.finished(server.url(), id=2) == DATA


def test_paused_download_is_resumed(sftp: EngineBench, server: SftpServer) -> None:
    sftp.engine.limit(700_000, id=1)
    sftp.begin(server.url())
    half = sftp.when(lambda seen: seen.bytes_done > 500_000)
    assert half.size == len(DATA)
    sftp.pause()
    assert sftp.state().exists()
    sftp.engine.limit(None, id=1)
    assert sftp.finished(server.url()) == DATA


def test_changed_key_of_server_is_refused(
    sftp: EngineBench, folder: Path, server: SftpServer
) -> None:
    assert sftp.finished(server.url()) == DATA
    make_key(folder / "host")
    with sftp_server(folder, free_port()) as other:
        known = sftp.folder / "known_hosts"
        known.write_text(known.read_text().replace(f":{server.port} ", f":{other.port} "))
        failed = sftp.failed(other.url(), id=2)
    shown = subprocess.check_output(["ssh-keygen", "-lf", str(folder / "host.pub")], text=True)
    problem = Problem("host_key_changed", {"key": shown.split()[1]})
    assert (failed.problem, failed.retryable) == (problem, False)


def test_missing_file_and_folder_are_reported(sftp: EngineBench, server: SftpServer) -> None:
    assert sftp.failed(server.url("none.bin")).problem.code == "file_offline"
    assert sftp.failed(server.url("")).problem.code == "ftp_folder"


def test_folder_is_listed(tmp_path: Path, folder: Path, server: SftpServer) -> None:
    (folder / "listed" / "sub").mkdir(parents=True)
    (folder / "listed" / "größe 1.bin").write_bytes(b"123")
    url = server.url("listed/")
    listing = list_folder(url, RedirectPolicy(True), TrustFiles(**files(tmp_path, folder)))
    found = read_listing(url, listing)
    [file], [below] = found.links, found.pages
    assert (file.url, file.name, file.size) == (
        f"{url}gr%C3%B6%C3%9Fe%201.bin",
        "größe 1.bin",
        3,
    )
    assert (below.url, below.folder) == (f"{url}sub/", "sub")


def test_login_without_key_is_denied(tmp_path: Path, server: SftpServer) -> None:
    bench = EngineBench(tmp_path, known_hosts=str(tmp_path / "known_hosts"))
    failed = bench.failed(server.url())
    bench.engine.stop()
    assert failed.problem == Problem("login_refused", {"protocol": "sftp"})


def test_password_in_the_address_replaces_the_key(sftp: EngineBench, server: SftpServer) -> None:
    wrong = server.url().replace("@", ":wrong@")
    failed = sftp.failed(wrong)
    assert (failed.problem.code, failed.retryable) == ("login_refused", False)


def test_private_address_is_refused(tmp_path: Path, folder: Path, server: SftpServer) -> None:
    bench = EngineBench(tmp_path, allow_private=False, **files(tmp_path, folder))
    failed = bench.failed(server.url())
    bench.engine.stop()
    assert failed.problem.code == "address_forbidden"


def test_web_server_cannot_redirect_to_sftp(sftp: EngineBench, server: SftpServer) -> None:
    def script(asked: ReceivedRequest, send: Send) -> None:
        send(head("302 Found", f"Location: {server.url()}", "Content-Length: 0"))

    with scripted_server(script) as web:
        assert sftp.failed(web.url()).problem.code == "bad_address"
