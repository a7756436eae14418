import json
import os
import pty
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from threading import Thread

import pytest

from quartet import __version__
from quartet.services import NAMES, service
from tests.forks import run_forked
from tests.process import QUARTET, environment, quartet_executed, quartet_serve


def quartet(
    folder: Path, *arguments: str, given: str = "", **variables: str
) -> subprocess.CompletedProcess[str]:
    return run_forked(
        *arguments, folder=folder, environment=environment(**variables), given=given, timeout=60
    )


def executed(folder: Path, *arguments: str) -> str:
    """What it shows when it has to import everything itself."""
    return subprocess.run(
        [*QUARTET, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=environment(),
        check=True,
    ).stdout


def get(address: str) -> tuple[int, str]:
    with urllib.request.urlopen(address) as answer:
        return answer.status, answer.read().decode()


def test_all_four_start_answer_and_stop(tmp_path: Path) -> None:
    with quartet_executed(tmp_path) as running:
        assert set(running.addresses) == set(NAMES)
        for address in running.addresses.values():
            assert get(f"{address}/api/health")[0] == 200
        begun = time.monotonic()
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(timeout=10) == 0
        assert time.monotonic() - begun < 2
    assert {path.name for path in (tmp_path / "data").iterdir()} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_each_starts_alone(tmp_path: Path, name: str) -> None:
    with quartet_executed(tmp_path, services=(name,)) as running:
        assert set(running.addresses) == {name}
        assert get(f"{running.addresses[name]}/api/health")[0] == 200


def test_a_load_balancer_is_told_before_the_end(tmp_path: Path) -> None:
    with quartet_serve(tmp_path, services=("sync",), SYNC_DRAIN_SECONDS="3") as running:
        address = running.addresses["sync"]
        assert get(f"{address}/api/ready")[0] == 200
        running.process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + 3
        with pytest.raises(urllib.error.HTTPError, match="503"):
            while time.monotonic() < deadline:
                get(f"{address}/api/ready")
        assert get(f"{address}/api/health")[0] == 200
        assert running.process.wait(timeout=10) == 0


def test_a_second_process_keeps_out_of_a_folder_in_use(tmp_path: Path) -> None:
    with quartet_serve(tmp_path, services=("wind",)):
        again = quartet(tmp_path, "serve", "wind", "--port", "0", "--data", "data")
        assert again.returncode == 1
        assert "another quartet works in this folder" in again.stderr


def test_media_refuses_a_wide_address_without_a_token(tmp_path: Path) -> None:
    refused = quartet(tmp_path, "serve", "media", "--host", "0.0.0.0", "--port", "0")
    assert refused.returncode == 2
    assert "APP_TOKEN" in refused.stderr
    assert not (tmp_path / "config").exists()
    with quartet_serve(
        tmp_path, "--host", "0.0.0.0", services=("media",), APP_TOKEN="a token"
    ) as running:
        assert "0.0.0.0" in running.addresses["media"]


def test_set_password_reads_one_line_when_there_is_no_terminal(tmp_path: Path) -> None:
    done = quartet(tmp_path, "sync", "set-password", "--data", "data", given="correct horse\n")
    assert done.returncode == 0, done.stderr
    short = quartet(tmp_path, "sync", "set-password", "--data", "data", given="short\n")
    assert short.returncode == 1
    assert "password_too_short {min=8}" in short.stderr
    assert "Traceback" not in short.stderr


def at_terminal(folder: Path, *answers: str) -> tuple[int, str]:
    """Types each answer when it is asked for; gives the exit code and all that was shown."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execve(
            QUARTET[0],
            [*QUARTET, "sync", "set-password", "--data", "data"],
            environment(TERM="dumb"),
        )
    shown = b""
    waiting = list(answers)
    while True:
        try:
            part = os.read(terminal, 1024)
        except OSError:
            break
        shown += part
        if waiting and part.rstrip().endswith(b":"):
            os.write(terminal, waiting.pop(0).encode() + b"\n")
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode()


def test_set_password_asks_twice_at_a_terminal(tmp_path: Path) -> None:
    code, shown = at_terminal(tmp_path, "correct horse", "correct horse")
    assert code == 0
    assert "correct horse" not in shown
    code, shown = at_terminal(tmp_path, "correct horse", "wrong horse")
    assert code == 1
    assert "not the same" in shown


def test_healthcheck(tmp_path: Path) -> None:
    with quartet_serve(tmp_path, services=("wind",)) as running:
        port = running.addresses["wind"].rsplit(":", 1)[1]
        assert quartet(tmp_path, "healthcheck", "wind", WIND_PORT=port).returncode == 0
    assert quartet(tmp_path, "healthcheck", "wind", WIND_PORT=port).returncode == 1


def test_healthcheck_meets_something_else_at_the_port(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        greeting = Thread(target=_greet, args=(other,))
        greeting.start()
        asked = quartet(tmp_path, "healthcheck", "wind", WIND_PORT=str(port))
        greeting.join()
    assert asked.returncode == 1
    assert asked.stderr == f"Error: wind: what answers at port {port} does not speak HTTP\n"


def _greet(server: socket.socket) -> None:
    visitor, _ = server.accept()
    with visitor:
        visitor.recv(1024)
        visitor.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")


def test_backup_and_restore(tmp_path: Path) -> None:
    with quartet_serve(tmp_path, "--demo", services=("sync",)):
        done = quartet(tmp_path, "backup", "sync", "sync.tar.gz", "--data", "data")
        assert done.returncode == 0, done.stderr
    done = quartet(tmp_path, "restore", "sync", "sync.tar.gz", "--data", "other")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "other" / "sync" / "sync.sqlite3").is_file()


def test_a_backup_of_nothing_is_no_backup(tmp_path: Path) -> None:
    done = quartet(tmp_path, "backup", "sync", "sync.tar.gz", "--data", "wrong")
    assert done.returncode == 1
    assert done.stderr == "Error: there is no database wrong/sync/sync.sqlite3\n"
    assert list(tmp_path.iterdir()) == []


def test_config_show_masks_secrets_and_names_origins(tmp_path: Path) -> None:
    (tmp_path / "quartet.toml").write_text("[media]\nport = 9000\n")
    shown = quartet(tmp_path, "config", "show", "media", APP_TOKEN="s3cr3t").stdout
    lines = {line.split()[0]: line for line in shown.splitlines() if line}
    assert "s3cr3t" not in shown
    assert "***" in lines["token"]
    assert "environment" in lines["token"]
    assert "9000" in lines["port"]
    assert "file" in lines["port"]


@pytest.mark.parametrize(
    ("text", "variables", "named"),
    [
        ("downloads = 3\n", {}, "downloads"),
        ("[download]\nport = 9000\n", {}, "download"),
        ("", {"APP_TRUSTED_PROXIES": "traefik"}, "traefik"),
    ],
)
def test_a_slip_in_the_settings_is_one_line(
    tmp_path: Path, text: str, variables: dict[str, str], named: str
) -> None:
    (tmp_path / "quartet.toml").write_text(text)
    refused = quartet(tmp_path, "serve", "media", "--port", "0", **variables)
    assert refused.returncode == 2
    [line] = refused.stderr.splitlines()
    assert named in line
    assert [path.name for path in tmp_path.iterdir()] == ["quartet.toml"]


def test_version_and_help(tmp_path: Path) -> None:
    assert executed(tmp_path, "--version") == f"quartet, version {__version__}\n"
    assert "serve" in quartet(tmp_path, "--help").stdout
    assert "set-password" in quartet(tmp_path, "sync", "--help").stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(tmp_path: Path, shell: str) -> None:
    assert "_QUARTET_COMPLETE" in quartet(tmp_path, "completion", shell).stdout


def test_the_same_code_gives_the_same_openapi_document(tmp_path: Path) -> None:
    # Each with hashes of its own.
    first, second = (executed(tmp_path, "openapi", "sync") for _ in range(2))
    assert first == second
    assert "/api/session" in json.loads(first)["paths"]


def test_migrate_brings_all_up_to_date(tmp_path: Path) -> None:
    done = quartet(tmp_path, "migrate", "--data", "data")
    expected = (f"{name}: schema {service(name).history.head}\n" for name in NAMES)
    assert done.stdout == "".join(expected)
