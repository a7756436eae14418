"""`quartet cnl-forward`: the browser and the download manager on different machines."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.downloads.clicknload import LINKS, PAGE, encrypted, jk
from tests.downloads.first_user import first_user
from tests.process import QUARTET, environment, quartet_serve
from tests.real_servers import accepts, free_port

URLS = LINKS.split("\r\n")
COMMAND = [*QUARTET, "cnl-forward"]


@contextmanager
def forwarding(server: str, **variables: str) -> Iterator[httpx.Client]:
    port = free_port()
    process = subprocess.Popen(
        [*COMMAND, "--server", server, "--listen", f"127.0.0.1:{port}"],
        env=environment(**variables),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    try:
        assert "listening" in process.stdout.readline()
        while not accepts(port):
            assert process.poll() is None
        with httpx.Client(base_url=f"http://127.0.0.1:{port}") as page:
            yield page
    finally:
        process.terminate()
        process.wait(timeout=60)
        process.stdout.close()


def refused(*arguments: str, **variables: str) -> str:
    done = subprocess.run(
        [*COMMAND, *arguments],
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    return done.stderr


def test_forms_are_forwarded_to_remote_server(tmp_path: Path) -> None:
    with quartet_serve(tmp_path, services=("downloads",)) as running:
        server = running.addresses["downloads"]
        with httpx.Client(base_url=server) as ada:
            ada.post("/api/auth/setup", json=first_user(tmp_path / "data" / "downloads"))
            token = ada.post("/api/settings/api-token").json()["token"]
            with forwarding(server, QUARTET_TOKEN=token) as page:
                assert "jdownloader" in page.get("/jdcheck.js").text
                form = {"urls": LINKS, "source": PAGE, "package": "A"}
                answer = page.post("/flash/add", data=form)
                assert (answer.status_code, answer.text) == (200, "success\r\n")
                form = {"crypted": encrypted(LINKS), "jk": jk(), "package": "B"}
                assert page.post("/flash/addcrypted2", data=form).status_code == 200
                answer = page.post("/flash/add", data={"urls": "none"})
                assert (answer.status_code, answer.text) == (400, "failed: no_links\r\n")
                assert page.post("/flash/stats").status_code == 404
                rebound = {"Host": "evil.example"}
                assert page.post("/flash/add", data=form, headers=rebound).status_code == 403
                shown = ada.get("/api/packages?view=collector").json()["packages"]
                assert [each["name"] for each in shown] == ["A", "B"]
                # The old token is no longer valid after it is replaced.
                ada.post("/api/settings/api-token")
                answer = page.post("/flash/add", data={"urls": LINKS})
                assert (answer.status_code, answer.text) == (401, "failed: signed_out\r\n")
            wrong = tmp_path / "token"
            wrong.write_text("wrong\n")
            said = refused("--server", server, "--token-file", str(wrong))
            assert "does not accept the token" in said


def test_unreachable_server_is_reported() -> None:
    with forwarding(f"http://127.0.0.1:{free_port()}", QUARTET_TOKEN="x") as page:
        answer = page.post("/flash/add", data={"urls": LINKS})
        assert (answer.status_code, answer.text) == (502, "failed: unreachable\r\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--server"),
        (["--server", "http://127.0.0.1:1"], "token"),
        (["--server", "ftp://x", "--token", "x"], "--server"),
        (["--server", "http://127.0.0.1:1", "--token", "x", "--listen", "nonsense"], "address"),
    ],
)
def test_missing_argument_is_named(arguments: list[str], said: str) -> None:
    assert said in refused(*arguments)
