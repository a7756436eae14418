"""Check the systemd and Quadlet units. A key may occur more than once in a section."""

import shutil
import subprocess
from pathlib import Path

import pytest

from quartet.kernel.server import EXIT_ADDRESS
from quartet.services import NAMES
from tests.deploy.commands import check_command
from tests.deploy.dockerfile import DATA
from tests.deploy.reference import CONTAINER_VARIABLES, DEPLOY, published_ports, variables

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
def test_unit_starts_service_named_by_instance(unit: Path, name: str) -> None:
    program, *words = section(unit, "Service")["ExecStart"][0].replace("%i", name).split()
    assert program.endswith("/bin/quartet")
    assert words[:2] == ["serve", name]
    check_command(words)


@pytest.mark.parametrize("unit", UNITS, ids=["system", "user"])
def test_unit_waits_for_readiness_and_does_not_restart_after_invalid_settings(
    unit: Path,
) -> None:
    found = section(unit, "Service")
    assert found["Type"] == ["notify"]
    assert found["Restart"] == ["on-failure"]
    assert found["RestartPreventExitStatus"] == [str(EXIT_ADDRESS)]
    assert found["NoNewPrivileges"] == ["yes"]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd here")
@pytest.mark.parametrize("unit", UNITS, ids=["system", "user"])
def test_systemd_analyze_accepts_unit(unit: Path, tmp_path: Path) -> None:
    # systemd-analyze requires that the program exists.
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
def test_container_unit_has_command_health_check_and_volume(name: str) -> None:
    found = container(name)
    assert found["Exec"] == [f"serve {name}"]
    check_command(found["Exec"][0].split())
    assert found["HealthCmd"] == [f"quartet healthcheck {name}"]
    check_command(found["HealthCmd"][0].split()[1:])
    assert found["PublishPort"] == published_ports(name)
    assert found["Volume"] == [f"quartet-{name}:{DATA[name]}"]


@pytest.mark.parametrize("name", NAMES)
def test_container_unit_variables_are_settings(name: str) -> None:
    found = container(name)
    given = {pair.split("=")[0] for pair in found["Environment"]}
    secret = {each.rsplit("target=", 1)[1] for each in found.get("Secret", [])}
    assert given | secret <= variables(name) | CONTAINER_VARIABLES


def test_container_unit_passes_media_token_as_secret() -> None:
    assert container("media")["Secret"] == ["quartet-media-token,type=env,target=APP_TOKEN"]
