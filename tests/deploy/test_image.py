"""There is no engine to build the image with in a test, so its recipe is read."""

import json
import shlex
import subprocess
from fnmatch import fnmatch
from pathlib import PurePosixPath

import pytest

from quartet.kernel.privileges import drop_privileges
from quartet.services import NAMES
from tests.deploy.commands import understood
from tests.deploy.image import environment, instructions, of_last_stage
from tests.deploy.known import (
    MORE_PORTS,
    OF_THE_CONTAINER,
    PORTS,
    ROOT,
    variable_of,
    variables,
)

LABELS = {
    f"org.opencontainers.image.{name}"
    for name in (
        *("title", "description", "source", "url", "documentation", "licenses"),
        *("version", "revision", "created", "vendor"),
    )
}


def test_every_variable_is_a_setting() -> None:
    known = set().union(*(variables(name) for name in NAMES))
    of_python = {"PATH", "PYTHONUNBUFFERED"}
    assert set(environment()) <= known | OF_THE_CONTAINER | of_python


@pytest.mark.parametrize("name", NAMES)
def test_each_service_is_reached_from_outside_and_keeps_its_data_in_a_volume(name: str) -> None:
    found = environment()
    assert found[variable_of(name, "host")] == "0.0.0.0"
    data = PurePosixPath(found[variable_of(name, "data")])
    volumes = [PurePosixPath(path) for path in json.loads(of_last_stage("VOLUME")[0])]
    assert any(data.is_relative_to(volume) for volume in volumes)
    made = next(text for text in of_last_stage("RUN") if "install -d" in text)
    assert str(data) in made.split(), "a new volume must belong to the default user"


def test_the_ports_are_those_of_the_services() -> None:
    exposed = {int(port) for text in of_last_stage("EXPOSE") for port in text.split()}
    assert exposed == {*PORTS.values(), *MORE_PORTS}


def test_the_default_user_is_not_root_and_is_accepted() -> None:
    found = environment()
    assert found["PUID"] == found["PGID"] == "1000"
    drop_privileges([], {**found, "PUID": ""})


def test_the_commands_exist() -> None:
    assert json.loads(of_last_stage("ENTRYPOINT")[0]) == ["quartet"]
    command = json.loads(of_last_stage("CMD")[0])
    understood(command)
    for name in NAMES:
        understood([*command, name])


@pytest.mark.parametrize("names", [["sync"], ["downloads", "wind"], []])
def test_the_health_check_asks_what_the_container_runs(names: list[str]) -> None:
    options, _, check = of_last_stage("HEALTHCHECK")[0].partition("CMD ")
    assert {"--interval=30s", "--start-period=30s"} <= set(options.split())
    shell, flag, script = json.loads(check)
    assert (shell, flag) == ("sh", "-c")
    said = _run_with_cmdline(script, ["quartet", "serve", *names])
    assert said == ["healthcheck", *names]
    understood(said)


def _run_with_cmdline(script: str, command: list[str]) -> list[str]:
    """The script as it is, but for where the first process of a container is found."""
    cmdline = "".join(f"{word}\\0" for word in command)
    changed = script.replace("quartet healthcheck", "echo healthcheck").replace(
        "tr '\\0' '\\n' </proc/1/cmdline", f"printf '{cmdline}' | tr '\\0' '\\n'"
    )
    assert changed.count("printf") == 1
    return subprocess.run(
        ["sh", "-c", changed], capture_output=True, text=True, check=True
    ).stdout.split()


def test_the_labels_are_complete() -> None:
    labels = dict(pair.split("=", 1) for pair in shlex.split(of_last_stage("LABEL")[0]))
    assert set(labels) == LABELS
    arguments = {text.split("=")[0] for text in of_last_stage("ARG")}
    assert arguments == {"VERSION", "REVISION", "CREATED"}


def test_dependencies_come_by_hash() -> None:
    installs = [text for kind, text in instructions() if kind == "RUN" and "install " in text]
    of_pip = [text for text in installs if text.startswith("pip")]
    assert len(of_pip) == 2
    assert all("--require-hashes" in text or "--no-deps" in text for text in of_pip)
    assert "npm ci" in [text for kind, text in instructions() if kind == "RUN"]


def test_what_is_copied_exists_and_is_not_ignored() -> None:
    for kind, text in instructions():
        if kind != "COPY" or text.startswith("--from"):
            continue
        for source in text.split()[:-1]:
            assert (ROOT / source).exists(), source
            assert not _ignored(source), source


def test_the_browser_extension_is_packed_into_the_pages() -> None:
    steps = instructions()
    packing = steps.index(("RUN", "python scripts/extension.py"))
    copied = [text.split()[0] for kind, text in steps[:packing] if kind == "COPY"]
    assert {"extension", "scripts/extension.py"} <= set(copied)
    pages = next(index for index, (_, text) in enumerate(steps) if text.startswith("--from=ui"))
    install = next(index for index, (_, text) in enumerate(steps) if text.endswith(" ."))
    assert pages < packing < install


def _ignored(path: str) -> bool:
    ignored = False
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        pattern = line.removeprefix("!")
        if fnmatch(path, pattern) or path.startswith(f"{pattern}/"):
            ignored = not line.startswith("!")
    return ignored


def test_every_workspace_of_the_ui_is_installed() -> None:
    workspaces = json.loads((ROOT / "package.json").read_text())["workspaces"]
    copied = {text.split()[0] for kind, text in instructions() if kind == "COPY"}
    assert {f"{workspace}/package.json" for workspace in workspaces} <= copied
