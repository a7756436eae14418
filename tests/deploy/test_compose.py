from pathlib import PurePosixPath
from typing import Any

import pytest
import yaml

from quartet.services import NAMES
from tests.deploy.commands import check_command
from tests.deploy.dockerfile import DATA
from tests.deploy.reference import CONTAINER_VARIABLES, DEPLOY, PORTS, published_ports, variables


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return found


def test_compose_file_defines_four_services_with_one_image(compose: dict[str, Any]) -> None:
    assert set(compose["services"]) == set(NAMES)
    assert len({each["image"] for each in compose["services"].values()}) == 1


@pytest.mark.parametrize("name", NAMES)
def test_compose_service_has_command_health_check_and_volume(
    compose: dict[str, Any], name: str
) -> None:
    found = compose["services"][name]
    assert found["command"] == ["serve", name]
    check_command(found["command"])
    assert found["healthcheck"]["test"] == ["CMD", "quartet", "healthcheck", name]
    check_command(found["healthcheck"]["test"][2:])
    assert found["restart"] == "unless-stopped"
    assert found["volumes"] == [f"{name}:{DATA[name]}"]
    assert name in compose["volumes"]


@pytest.mark.parametrize("name", NAMES)
def test_compose_service_publishes_ports(compose: dict[str, Any], name: str) -> None:
    assert compose["services"][name]["ports"] == published_ports(name)


@pytest.mark.parametrize("name", NAMES)
def test_compose_variables_are_settings(compose: dict[str, Any], name: str) -> None:
    assert set(compose["services"][name]["environment"]) <= variables(name) | CONTAINER_VARIABLES


def test_compose_file_requires_media_token(compose: dict[str, Any]) -> None:
    assert compose["services"]["media"]["environment"]["APP_TOKEN"].startswith("${APP_TOKEN:?")


@pytest.fixture(scope="module")
def homelab() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.homelab.yaml").read_text())
    return found


@pytest.mark.parametrize("name", NAMES)
def test_homelab_service_has_valid_command_variables_and_labels(
    homelab: dict[str, Any], name: str
) -> None:
    found = homelab["services"][name]
    check_command(found["command"])
    assert set(found["environment"]) <= variables(name) | CONTAINER_VARIABLES
    assert f"./config/{name}:{DATA[name]}" in found["volumes"]
    labels = dict(each.split("=", 1) for each in found["labels"])
    port = labels[f"traefik.http.services.{name}.loadbalancer.server.port"]
    assert int(port) == PORTS[name]
    assert labels[f"traefik.http.routers.{name}.rule"] == f"Host(`{name}.${{DOMAIN:?}}`)"


def test_homelab_trusts_no_computers_of_the_home(homelab: dict[str, Any]) -> None:
    """They could pretend to have any address, for which failed logins are not counted."""
    for each in homelab["services"].values():
        found = [text for name, text in each["environment"].items() if "TRUSTED_PROXIES" in name]
        assert found == ["${PROXY_NETWORK-172.16.0.0/12}"]


def test_homelab_downloads_and_media_share_one_mount(homelab: dict[str, Any]) -> None:
    downloads, media = homelab["services"]["downloads"], homelab["services"]["media"]
    [shared] = set(downloads["volumes"]) & set(media["volumes"])
    target = PurePosixPath(shared.rsplit(":", 1)[1])
    for variable in ("DOWNLOADS_DONE_DIR", "DOWNLOADS_TMP_DIR"):
        assert PurePosixPath(downloads["environment"][variable]).is_relative_to(target)
