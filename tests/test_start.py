"""The modules that a service loads before its first answer.

The number of modules decides how long the start takes and how much memory an idle service needs,
and unlike a time it is the same on every machine.
"""

import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

import quartet.serve
from quartet.cli import main
from quartet.kernel.listener import free_port
from quartet.kernel.server import EXIT_ADDRESS
from quartet.kernel.startup import open_kernel
from quartet.services import NAMES, service
from tests.process import environment

# Own modules and those of libraries. Before raising a limit, check whether a new module is needed
# for the first answer; see "Rules" in CONTRIBUTING.md.
MOST_MODULES = {"downloads": 874, "sync": 811, "media": 763, "wind": 845}
# Used by some requests, by background tasks, at the first start or in the demo only.
NOT_AT_START = {
    "PIL",
    "aiohttp",
    "alembic",
    "apprise",
    "argon2",
    "authlib",
    "chardet",
    "cryptography.x509",
    "defusedxml",
    "eccodes",
    "jinja2",
    "joserfc",
    "numpy",
    "opentelemetry.sdk",
    "prometheus_client",
    "psycopg",
    "pydantic",
    "rapidfuzz",
    "watchfiles",
    "yaml",
    "redis",
    "sqlalchemy.dialects.postgresql",
    "sqlalchemy.orm",
    "quartet.kernel.tracing",
    "quartet.downloads.demo.build",
    "quartet.media.demo.fill",
    "quartet.media.names.parse",
    "quartet.sync.demo.setup",
    "quartet.wind.demo.rider",
}

START = """
import sys
from pathlib import Path

import quartet.serve
quartet.serve.import_libraries()
from quartet.kernel.startup import start
from quartet.services import service

found = service(sys.argv[1])
start(found, found.settings(data=Path(sys.argv[2])))
print("\\n".join(sys.modules))
"""


def modules_at_start(name: str, data: Path) -> set[str]:
    # The first start migrates the database, which needs more modules.
    found = service(name)
    open_kernel(found, found.settings(data=data)).db.close()
    done = subprocess.run(
        [sys.executable, "-c", START, name, str(data)],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    names = done.stdout.split()
    return {each for each in names if each.split(".")[0] not in sys.stdlib_module_names}


@pytest.mark.parametrize("name", NAMES)
def test_start_loads_few_modules(name: str, tmp_path: Path) -> None:
    loaded = modules_at_start(name, tmp_path)
    assert loaded & NOT_AT_START == set()
    # Litestar loads four modules with constants if it finds the package.
    counted = {each for each in loaded if not each.startswith("opentelemetry")}
    assert len(counted) <= MOST_MODULES[name]


LIGHT = """
import sys

import quartet.healthcheck, quartet.serve
from quartet.services import service_settings

service_settings(sys.argv[1])
print("\\n".join(sys.modules))
"""


@pytest.mark.parametrize("name", NAMES)
def test_settings_are_read_without_loading_the_service(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIGHT, name],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert not {"sqlalchemy", "litestar", "uvicorn", f"quartet.{name}.app"} & set(
        done.stdout.split()
    )


def connects_during_load(
    data: Path, monkeypatch: pytest.MonkeyPatch, environ: Mapping[str, str]
) -> bool:
    port, connected = free_port(), []

    def load(*_: object, **__: object) -> int:
        with closing(socket.socket()) as client:
            connected.append(client.connect_ex(("127.0.0.1", port)) == 0)
        return 0

    for variable, value in environ.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setattr(quartet.serve, "_run", load)
    monkeypatch.setattr(quartet.serve, "set_up_logging", lambda *_: None)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        assert quartet.serve.serve_all(["sync"], {"port": port}, data, None, demo=False) == 0
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    return connected == [True]


def test_clients_connect_while_the_service_loads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert connects_during_load(tmp_path, monkeypatch, {})


def test_one_of_several_processes_refuses_clients_while_it_loads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = {"DATABASE_URL": "postgresql://127.0.0.1/quartet"}
    assert not connects_during_load(tmp_path, monkeypatch, shared)


def test_taken_port_is_reported_before_the_service_loads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setattr(quartet.serve, "_run", pytest.fail)
        address = taken.getsockname()[1]
        found = CliRunner().invoke(
            main, ["serve", "sync", "--data", str(tmp_path), "--port", str(address)]
        )
    assert found.exit_code == EXIT_ADDRESS
    assert f"sync cannot listen on 127.0.0.1:{address}: Address already in use" in found.output
