"""The scripts in deploy/hooks, run like download clients do, against a real service."""

import os
import subprocess
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.process import ROOT, quartet_serve

HOOKS = ROOT / "deploy" / "hooks"
TOKEN = "token of the media service"
SECONDS = 60


class HookServer:
    def __init__(self, base: Path, url: str) -> None:
        self.base, self.url = base, url
        self.downloads = base / "my downloads"
        self.web = httpx.Client(base_url=url, headers={"authorization": f"Bearer {TOKEN}"})

    def run(self, script: str, *arguments: str, **variables: str) -> int:
        (self.base / "token").write_text(TOKEN + "\n")
        given = {"QUARTET_URL": self.url, "QUARTET_TOKEN_FILE": str(self.base / "token")}
        env = {"PATH": os.environ["PATH"], **given, **variables}
        command = [str(HOOKS / script), *arguments]
        return subprocess.run(command, env=env, capture_output=True, check=False).returncode

    def file(self, path: str) -> Path:
        file = self.downloads / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(os.fsencode(path))
        os.utime(file, (10**9, 10**9))
        return file

    def jobs(self) -> list[Any]:
        """Return the jobs once all of them are idle."""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            jobs: list[Any] = self.web.get("/api/jobs").json()["jobs"]
            if all(job["status"] in ("done", "ready", "failed") for job in jobs):
                return jobs
            time.sleep(0.05)
        raise TimeoutError


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HookServer]:
    base = tmp_path_factory.mktemp("hooks")
    for name in ("my downloads", "films"):
        (base / name).mkdir()
    variables = {"APP_DEMO": "1", "APP_TOKEN": TOKEN, "APP_ROOTS": str(base / "my downloads")}
    with quartet_serve(base, services=("media",), **variables) as running:
        one = HookServer(base, running.addresses["media"])
        library = {"path": str(base / "films"), "kind": "movies"}
        assert one.web.post("/api/folders", json=library).status_code == 201
        yield one
        one.web.close()


def test_script_of_every_client_creates_a_job(served: HookServer) -> None:
    downloads = served.downloads
    served.file("Heat.1995/Heat.1995.mkv")
    served.file("It's a “name” & 100%/Inception.2010.mkv")
    served.file("sab/Alien.1979.mkv")
    served.file("nzb/Fargo.1996.mkv")
    odd = served.file(os.fsdecode(b"Caf\xe9/Blade.Runner.1982.mkv")).parent
    folder = str(downloads / "It's a “name” & 100%")
    torrent = {"TR_TORRENT_DIR": str(downloads), "TR_TORRENT_NAME": "Heat.1995"}
    assert served.run("qbittorrent.sh", folder) == 0
    assert served.run("transmission.sh", **torrent) == 0
    assert served.run("sabnzbd.sh", str(downloads / "sab"), "a", "b", "c", "d", "e", "0") == 0
    assert served.run("nzbget.sh", NZBPP_DIRECTORY=str(downloads / "nzb")) == 93
    assert served.run("send.sh", str(odd)) == 0
    jobs = served.jobs()
    assert [job["kind"] for job in jobs] == ["hook"] * 5
    assert jobs[4]["paths"] == [folder]
    assert all(job["progress"]["total"] == 1 for job in jobs)
    # Clients retry when in doubt.
    assert served.run("transmission.sh", **torrent) == 0
    assert len(served.jobs()) == 5


def test_scripts_report_failures(served: HookServer) -> None:
    before = len(served.jobs())
    assert served.run("send.sh") == 2
    assert served.run("send.sh", "/etc/passwd") != 0
    assert served.run("send.sh", str(served.downloads), QUARTET_TOKEN="wrong") != 0
    assert served.run("nzbget.sh", NZBPP_DIRECTORY="/none") == 94
    failed = {"NZBPP_TOTALSTATUS": "FAILURE", "NZBPP_DIRECTORY": "/none"}
    assert served.run("nzbget.sh", **failed) == 95
    assert served.run("sabnzbd.sh", "/none", "a", "b", "c", "d", "e", "1") == 0
    assert len(served.jobs()) == before


def test_quartet_downloads_script_sends_each_folder_once(served: HookServer) -> None:
    before = len(served.jobs())
    done = served.downloads / "done"
    served.file("done/The.Matrix.1999/The.Matrix.1999.mkv")
    served.file("done/notes of.mine/Casablanca.1942.mkv")
    assert served.run("quartet-downloads.sh", str(done)) == 0
    assert len(served.jobs()) == before + 2
    assert served.run("quartet-downloads.sh", str(done)) == 0
    assert len(served.jobs()) == before + 2


def test_quartet_downloads_script_retries_failed_folders(served: HookServer) -> None:
    before = len(served.jobs())
    done = served.downloads / "later"
    served.file("later/Psycho.1960/Psycho.1960.mkv")
    assert served.run("quartet-downloads.sh", str(done), QUARTET_TOKEN="wrong") == 1
    assert served.run("quartet-downloads.sh", str(done)) == 0
    assert len(served.jobs()) == before + 1
    # Old, but it arrived only now.
    moved = served.file("Vertigo.1958.mkv")
    moved.rename(done / moved.name)
    assert served.run("quartet-downloads.sh", str(done)) == 0
    assert len(served.jobs()) == before + 2


@pytest.fixture
def recorder() -> Iterator[HTTPServer]:
    """A server that records the headers of requests, and does not listen yet."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.server.tokens.append(self.headers["Authorization"])  # type: ignore[attr-defined]
            self.send_response(202)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Log nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler, bind_and_activate=False)
    server.tokens = []  # type: ignore[attr-defined]
    server.server_bind()
    yield server
    server.server_close()


def send(server: HTTPServer, token: str) -> "subprocess.Popen[bytes]":
    env = {"PATH": os.environ["PATH"], "QUARTET_TOKEN": token}
    env["QUARTET_URL"] = f"http://127.0.0.1:{server.server_port}"
    return subprocess.Popen([str(HOOKS / "send.sh"), "/x"], env=env, stderr=subprocess.DEVNULL)


def test_script_retries_a_refused_connection(recorder: HTTPServer) -> None:
    token = "a \"quoted\" 'token' \\ with $HOME and `signs` #1"
    script = send(recorder, token)
    # The port refuses connections until now.
    time.sleep(0.5)
    recorder.server_activate()
    recorder.timeout = SECONDS
    recorder.handle_request()
    assert script.wait(SECONDS) == 0
    assert recorder.tokens == [f"Bearer {token}"]  # type: ignore[attr-defined]
