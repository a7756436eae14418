"""Compare the values of the Dockerfile with the settings of the services.

The release pipeline builds and starts the image (scripts/pipeline/image.py).
"""

import json
import subprocess
from fnmatch import fnmatch
from pathlib import PurePosixPath

import pytest

from quartet.kernel.privileges import drop_privileges
from quartet.services import NAMES
from tests.deploy.commands import check_command
from tests.deploy.dockerfile import environment, instructions, last_stage
from tests.deploy.reference import (
    CONTAINER_VARIABLES,
    EXTRA_PORTS,
    PORTS,
    ROOT,
    variable_of,
    variables,
)


def test_image_variables_are_settings() -> None:
    known = set().union(*(variables(name) for name in NAMES))
    of_python = {"PATH", "PYTHONUNBUFFERED"}
    assert set(environment()) <= known | CONTAINER_VARIABLES | of_python


@pytest.mark.parametrize("name", NAMES)
def test_image_service_listens_on_all_addresses_and_stores_data_in_volume(name: str) -> None:
    found = environment()
    assert found[variable_of(name, "host")] == "0.0.0.0"
    data = PurePosixPath(found[variable_of(name, "data")])
    volumes = [PurePosixPath(path) for path in json.loads(last_stage("VOLUME")[0])]
    assert any(data.is_relative_to(volume) for volume in volumes)
    made = next(text for text in last_stage("RUN") if "install -d" in text)
    assert str(data) in made.split(), "a new volume must belong to the default user"


def test_image_exposes_service_ports() -> None:
    exposed = {port for text in last_stage("EXPOSE") for port in text.split()}
    assert exposed == {*map(str, PORTS.values()), *EXTRA_PORTS}


def test_image_default_user_is_unprivileged() -> None:
    found = environment()
    assert found["PUID"] == found["PGID"] == "1000"
    drop_privileges([], {**found, "PUID": ""})


def test_image_command_is_valid() -> None:
    assert json.loads(last_stage("ENTRYPOINT")[0]) == ["quartet"]
    command = json.loads(last_stage("CMD")[0])
    check_command(command)
    # A command that needs no other settings: media would require a token.
    assert command == ["serve", *(name for name in NAMES if name != "media")]
    for name in NAMES:
        check_command(["serve", name])


@pytest.mark.parametrize("names", [["sync"], ["downloads", "wind"], []])
def test_image_health_check_covers_started_services(names: list[str]) -> None:
    options, _, check = last_stage("HEALTHCHECK")[0].partition("CMD ")
    assert {"--interval=30s", "--start-period=30s"} <= set(options.split())
    shell, flag, script = json.loads(check)
    assert (shell, flag) == ("sh", "-c")
    said = _run_with_cmdline(script, ["quartet", "serve", *names])
    assert said == ["healthcheck", *names]
    check_command(said)


def _run_with_cmdline(script: str, command: list[str]) -> list[str]:
    """Run the script with the given command line in place of that of process 1."""
    cmdline = "".join(f"{word}\\0" for word in command)
    changed = script.replace("quartet healthcheck", "echo healthcheck").replace(
        "tr '\\0' '\\n' </proc/1/cmdline", f"printf '{cmdline}' | tr '\\0' '\\n'"
    )
    assert changed.count("printf") == 1
    return subprocess.run(
        ["sh", "-c", changed], capture_output=True, text=True, check=True
    ).stdout.split()


def test_copied_files_exist_and_are_not_ignored() -> None:
    for kind, text in instructions():
        if kind != "COPY" or text.startswith("--from"):
            continue
        for source in text.split()[:-1]:
            assert (ROOT / source).exists(), source
            assert not _ignored(source), source


def _ignored(path: str) -> bool:
    ignored = False
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        pattern = line.removeprefix("!")
        if fnmatch(path, pattern) or path.startswith(f"{pattern}/"):
            ignored = not line.startswith("!")
    return ignored
