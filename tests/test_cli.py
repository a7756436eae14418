import json
import os
import pty
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner

from quartet import __version__
from quartet.cli import main
from quartet.services import NAMES, service
from tests.fork_client import run_forked
from tests.process import QUARTET, environment, quartet_serve, quartet_serve_uncached
from tests.real_servers import free_port


def quartet(
    folder: Path, *arguments: str, stdin_text: str = "", **variables: str
) -> subprocess.CompletedProcess[str]:
    return run_forked(
        *arguments,
        folder=folder,
        environment=environment(**variables),
        stdin_text=stdin_text,
        timeout=60,
    )


def run_uncached(folder: Path, *arguments: str) -> str:
    """Run a command in a new interpreter and return its output."""
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


def test_serve_starts_and_stops_all_services(tmp_path: Path) -> None:
    with quartet_serve_uncached(tmp_path) as running:
        assert set(running.addresses) == set(NAMES)
        for address in running.addresses.values():
            assert get(f"{address}/api/health")[0] == 200
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(timeout=60) == 0
    assert {path.name for path in (tmp_path / "data").iterdir()} == set(NAMES)


@pytest.mark.nightly
@pytest.mark.parametrize("name", NAMES)
def test_serve_starts_single_service(tmp_path: Path, name: str) -> None:
    with quartet_serve(tmp_path, services=(name,)) as running:
        assert set(running.addresses) == {name}
        assert get(f"{running.addresses[name]}/api/health")[0] == 200


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgresql://robin:secret@127.0.0.1:1/x", "the database is unavailable: connection"),
        ("postgresql://robin:secret@127.0.0.1:port/x", "Port could not be cast"),
        ("mysql://robin:secret@127.0.0.1/x", "must start with postgresql://"),
    ],
)
def test_unusable_database_is_reported_in_one_line(tmp_path: Path, url: str, message: str) -> None:
    done = quartet(tmp_path, "serve", "downloads", "--data", "data", DATABASE_URL=url)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert "Traceback" not in done.stderr and "secret" not in done.stderr


def test_unusable_data_folder_is_reported_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    done = quartet(tmp_path, "serve", "downloads", "--data", "data")
    assert done.returncode == 1
    assert done.stderr == "Error: cannot use data/downloads: Not a directory\n"


def test_missing_extra_is_reported_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if no package of the extra were installed.
    monkeypatch.setitem(sys.modules, "quartet.wind.app", None)
    result = CliRunner().invoke(main, ["serve", "wind", "--data", str(tmp_path)])
    assert result.exit_code == 1
    assert result.output.startswith(
        "Error: the Python package quartet.wind.app is missing: install"
    )
    assert len(result.output.splitlines()) == 1


def test_hangup_reloads_settings(tmp_path: Path) -> None:
    file, port = tmp_path / "quartet.toml", free_port()
    with quartet_serve_uncached(
        tmp_path, services=("downloads",), DOWNLOADS_PORT=str(port)
    ) as running:
        address = f"{running.addresses['downloads']}/api/health"

        def is_answered(host: str) -> bool:
            request = urllib.request.Request(address, headers={"Host": host})
            try:
                with urllib.request.urlopen(request) as answer:
                    return bool(answer.status == 200)
            except OSError:
                # The service refuses the host, or it is starting again.
                return False

        file.write_text('[downloads]\nallowed_hosts = ["files.example.org"]\n')
        assert is_answered("other.example.org")
        running.process.send_signal(signal.SIGHUP)
        # It keeps answering the old host until it has stopped, and then the next signal arrives.
        while is_answered("other.example.org"):
            pass
        running.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + 60
        while is_answered("other.example.org") or not is_answered("files.example.org"):
            assert time.monotonic() < deadline
        # An invalid file changes nothing.
        file.write_text("[downloads]\nno_such_setting = 1\n")
        running.process.send_signal(signal.SIGHUP)
        for _ in range(20):
            assert is_answered("files.example.org")
            time.sleep(0.05)
        assert running.process.poll() is None


def test_stop_wins_over_reload_before_it(tmp_path: Path) -> None:
    with quartet_serve_uncached(tmp_path, services=("downloads",)) as running:
        running.process.send_signal(signal.SIGHUP)
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(60) == 0


def test_closed_terminal_stops_service(tmp_path: Path) -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        variables = environment(DOWNLOADS_PORT="0", DOWNLOADS_CNL_PORT="0")
        os.execve(sys.executable, [*QUARTET, "serve", "downloads"], variables)
    with os.fdopen(terminal, "rb") as output:
        while b"Ctrl-C" not in output.readline():
            pass
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_ready_endpoint_fails_while_service_drains(tmp_path: Path) -> None:
    with quartet_serve(tmp_path, services=("sync",), SYNC_DRAIN_SECONDS="60") as running:
        address = running.addresses["sync"]
        assert get(f"{address}/api/ready")[0] == 200
        running.process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + 60
        with pytest.raises(urllib.error.HTTPError, match="503"):
            while time.monotonic() < deadline:
                get(f"{address}/api/ready")
        assert get(f"{address}/api/health")[0] == 200
        # The second signal ends the process at once.
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(timeout=60) == 128 + signal.SIGTERM


def test_serve_rejects_data_folder_in_use(tmp_path: Path) -> None:
    with quartet_serve(tmp_path, services=("wind",)):
        again = quartet(tmp_path, "serve", "wind", "--port", "0", "--data", "data")
        assert again.returncode == 1
        assert "another quartet process uses this folder" in again.stderr


def test_media_requires_token_on_public_address(tmp_path: Path) -> None:
    refused = quartet(tmp_path, "serve", "media", "--host", "0.0.0.0", "--port", "0")
    assert refused.returncode == 2
    assert "APP_TOKEN" in refused.stderr
    assert not (tmp_path / "config").exists()
    with quartet_serve(
        tmp_path, "--host", "0.0.0.0", services=("media",), APP_TOKEN="0123456789abcdef"
    ) as running:
        assert "0.0.0.0" in running.addresses["media"]


def test_set_password_reads_password_from_stdin_without_terminal(tmp_path: Path) -> None:
    done = quartet(tmp_path, "sync", "set-password", "--data", "data", stdin_text="correct horse\n")
    assert done.returncode == 0, done.stderr
    short = quartet(tmp_path, "sync", "set-password", "--data", "data", stdin_text="short\n")
    assert short.returncode == 1
    assert "password_too_short {min=8}" in short.stderr
    assert "Traceback" not in short.stderr


def at_terminal(folder: Path, *answers: str) -> tuple[int, str]:
    """Run `set-password` in a terminal, type each answer at its prompt, return exit code and
    output.
    """
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


def test_set_password_prompts_twice_at_terminal(tmp_path: Path) -> None:
    code, shown = at_terminal(tmp_path, "correct horse", "correct horse")
    assert code == 0
    assert "correct horse" not in shown
    code, shown = at_terminal(tmp_path, "correct horse", "wrong horse")
    assert code == 1
    assert "do not match" in shown


def test_healthcheck_reports_running_and_stopped_service(tmp_path: Path) -> None:
    with quartet_serve(tmp_path, services=("wind",)) as running:
        port = running.addresses["wind"].rsplit(":", 1)[1]
        assert quartet(tmp_path, "healthcheck", "wind", WIND_PORT=port).returncode == 0
    assert quartet(tmp_path, "healthcheck", "wind", WIND_PORT=port).returncode == 1


def test_healthcheck_reports_non_http_server(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        banner = Thread(target=_send_ssh_banner, args=(other,))
        banner.start()
        result = quartet(tmp_path, "healthcheck", "wind", WIND_PORT=str(port))
        banner.join()
    assert result.returncode == 1
    assert result.stderr == f"Error: wind: the server at port {port} does not speak HTTP\n"


def _send_ssh_banner(server: socket.socket) -> None:
    client, _ = server.accept()
    with client:
        client.recv(1024)
        client.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")


def test_backup_is_restored_to_other_folder(tmp_path: Path) -> None:
    with quartet_serve(tmp_path, "--demo", services=("sync",)):
        done = quartet(tmp_path, "backup", "sync", "sync.tar.gz", "--data", "data")
        assert done.returncode == 0, done.stderr
    done = quartet(tmp_path, "restore", "sync", "sync.tar.gz", "--data", "other")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "other" / "sync" / "sync.sqlite3").is_file()


def test_backup_fails_without_database(tmp_path: Path) -> None:
    done = quartet(tmp_path, "backup", "sync", "sync.tar.gz", "--data", "wrong")
    assert done.returncode == 1
    assert done.stderr == "Error: the database wrong/sync/sync.sqlite3 does not exist\n"
    assert list(tmp_path.iterdir()) == []


def test_config_show_masks_secrets_and_shows_sources(tmp_path: Path) -> None:
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
def test_invalid_setting_prints_one_line_error(
    tmp_path: Path, text: str, variables: dict[str, str], named: str
) -> None:
    (tmp_path / "quartet.toml").write_text(text)
    refused = quartet(tmp_path, "serve", "media", "--port", "0", **variables)
    assert refused.returncode == 2
    [line] = refused.stderr.splitlines()
    assert named in line
    assert [path.name for path in tmp_path.iterdir()] == ["quartet.toml"]


def test_version_and_help_are_printed(tmp_path: Path) -> None:
    assert run_uncached(tmp_path, "--version") == f"quartet, version {__version__}\n"
    assert "serve" in quartet(tmp_path, "--help").stdout
    assert "set-password" in quartet(tmp_path, "sync", "--help").stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script_is_printed(tmp_path: Path, shell: str) -> None:
    assert "_QUARTET_COMPLETE" in quartet(tmp_path, "completion", shell).stdout


@pytest.mark.nightly
def test_openapi_document_is_deterministic(tmp_path: Path) -> None:
    # A new interpreter has another hash seed than the one that is forked.
    first = run_uncached(tmp_path, "openapi", "sync")
    second = quartet(tmp_path, "openapi", "sync").stdout
    assert first == second
    assert "/api/session" in json.loads(first)["paths"]


def test_migrate_upgrades_all_services(tmp_path: Path) -> None:
    done = quartet(tmp_path, "migrate", "--data", "data")
    expected = (f"{name}: schema {service(name).history.head}\n" for name in NAMES)
    assert done.stdout == "".join(expected)
