"""Units of systemd and Quadlet: read like systemd reads them, where a key may come again."""

import shutil
import subprocess
from pathlib import Path

import pytest

from quartet.kernel.server import EXIT_ADDRESS
from quartet.services import NAMES
from tests.deploy.commands import understood
from tests.deploy.image import DATA
from tests.deploy.known import DEPLOY, OF_THE_CONTAINER, PORTS, variables

UNITS = [DEPLOY / "systemd/quartet@.service", DEPLOY / "systemd/user/quartet@.service"]


def section(path: Path, name: str) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    current = ""
    for line in path.read_text().splitlines():
        if line.startswith("["):
            current = line.strip("[]")
        elif current == name and line and not line.startswith("#"):
            key, value = line.split("=", 1)
            values.setdefault(key, []).append(value)
    return values


def container(name: str) -> dict[str, list[str]]:
    return section(DEPLOY / f"quadlet/quartet-{name}.container", "Container")


@pytest.mark.parametrize("unit", UNITS, ids=["system", "user"])
@pytest.mark.parametrize("name", NAMES)
def test_a_unit_starts_the_service_it_is_named_after(unit: Path, name: str) -> None:
    program, *words = section(unit, "Service")["ExecStart"][0].replace("%i", name).split()
    assert program.endswith("/bin/quartet")
    assert words[:2] == ["serve", name]
    understood(words)


@pytest.mark.parametrize("unit", UNITS, ids=["system", "user"])
def test_a_unit_waits_until_the_service_is_ready_and_leaves_hopeless_starts_alone(
    unit: Path,
) -> None:
    found = section(unit, "Service")
    assert found["Type"] == ["notify"]
    assert found["Restart"] == ["on-failure"]
    assert found["RestartPreventExitStatus"] == [str(EXIT_ADDRESS)]
    assert found["NoNewPrivileges"] == ["yes"]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd here")
@pytest.mark.parametrize("unit", UNITS, ids=["system", "user"])
def test_systemd_finds_no_fault(unit: Path, tmp_path: Path) -> None:
    # It insists on a program that is installed.
    text = unit.read_text()
    program = section(unit, "Service")["ExecStart"][0].split()[0]
    copy = tmp_path / unit.name
    copy.write_text(text.replace(f"ExecStart={program}", "ExecStart=/bin/true"))
    scope = "--user" if "user" in unit.parts else "--system"
    done = subprocess.run(
        ["systemd-analyze", scope, "verify", str(copy)],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    assert unit.name not in done.stderr, done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_a_container_runs_checks_and_keeps_its_service(name: str) -> None:
    found = container(name)
    assert found["Exec"] == [f"serve {name}"]
    understood(found["Exec"][0].split())
    assert found["HealthCmd"] == [f"quartet healthcheck {name}"]
    understood(found["HealthCmd"][0].split()[1:])
    assert found["PublishPort"] == [f"127.0.0.1:{PORTS[name]}:{PORTS[name]}"]
    assert found["Volume"] == [f"quartet-{name}:{DATA[name]}"]


@pytest.mark.parametrize("name", NAMES)
def test_every_variable_of_a_container_is_a_setting(name: str) -> None:
    found = container(name)
    given = {pair.split("=")[0] for pair in found["Environment"]}
    secret = {each.rsplit("target=", 1)[1] for each in found.get("Secret", [])}
    assert given | secret <= variables(name) | OF_THE_CONTAINER


def test_media_gets_its_token_as_a_secret() -> None:
    assert container("media")["Secret"] == ["quartet-media-token,type=env,target=APP_TOKEN"]
